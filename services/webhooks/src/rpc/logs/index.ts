import { once } from '@agentmesh/lib/idempotency';
import { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import type { Context } from '../../mail/context.ts';
import { getLog } from './get-log.ts';
import { getLogAttachment } from './get-log-attachment.ts';
import { getLogBody } from './get-log-body.ts';
import type { LogHandlers } from './handlers.ts';
import { listLogs } from './list-logs.ts';
import { retriggerLog } from './retrigger-log.ts';
import { retriggerLogs } from './retrigger-logs.ts';

/** Every RPC about logs. */
export function createLogHandlers(context: Context): LogHandlers {
  const { method } = LogsService;
  return {
    listLogs: listLogs(context),
    getLog: getLog(context),
    getLogBody: getLogBody(context),
    getLogAttachment: getLogAttachment(context),
    retriggerLog: once(context, method.retriggerLog, retriggerLog),
    retriggerLogs: once(context, method.retriggerLogs, retriggerLogs),
  };
}
