import { MeshError } from '@agentmesh/lib/rpc';
import type { Log } from '@agentmesh/proto/webhooks/v1/logs';
import type { WebhookLog } from './log-record.ts';

/** Public form of a log. */
export function logJson(log: Log | undefined): WebhookLog {
  if (log === undefined) throw new MeshError('internal', 'log_missing', 'The log could not be read.');
  return {
    id: log.id,
    subscription_id: log.subscriptionId,
    agent_id: log.agentId,
    trigger_event: log.triggerEvent,
    email_subject: log.emailSubject ?? null,
    email_sender: log.emailSender ?? null,
    agent_message: log.agentMessage ?? null,
    agent_response: log.agentResponse ?? null,
    status: log.status,
    error_message: log.errorMessage ?? null,
    duration_ms: log.durationMs === undefined ? null : Number(log.durationMs),
    created_at: new Date(log.createTime * 1000).toISOString(),
    attachments: log.attachments.map(({ filename, contentType, size }) => ({
      filename,
      content_type: contentType,
      size: Number(size),
    })),
    session_id: log.sessionId,
    invocation_id: log.invocationId ?? null,
  };
}
