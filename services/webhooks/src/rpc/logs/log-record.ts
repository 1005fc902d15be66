import type { LogSchema } from '@agentmesh/proto/webhooks/v1/logs';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { LogRow } from '../../store/log-lists.ts';

interface StoredAttachment {
  readonly filename: string;
  readonly content_type: string;
  readonly size: number;
}

/** Converts a row of `logs` to the message that RPCs return. */
export function logRecord(row: LogRow): MessageInitShape<typeof LogSchema> {
  const { started_at: started, completed_at: completed } = row;
  return {
    id: row.id,
    subscriptionId: row.subscription_id,
    agentId: row.agent_id,
    triggerEvent: row.change_type,
    emailSubject: row.email_subject ?? undefined,
    emailSender: row.email_sender ?? undefined,
    agentMessage: row.agent_message ?? undefined,
    agentResponse: row.agent_response ?? undefined,
    status: row.status,
    errorMessage: row.error_message ?? undefined,
    durationMs: started && completed ? BigInt(Math.max(0, completed.getTime() - started.getTime())) : undefined,
    createTime: row.created_at.getTime() / 1000,
    attachments: (JSON.parse(row.attachments) as StoredAttachment[]).map(
      ({ filename, content_type: contentType, size }) => ({
        filename,
        contentType,
        size: BigInt(size),
      }),
    ),
    sessionId: `webhook_${row.id}`,
    invocationId: row.invocation_id ?? undefined,
  };
}
