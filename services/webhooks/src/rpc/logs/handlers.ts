import type { LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC about logs, by its name. */
export type LogHandlers = ServiceImpl<typeof LogsService>;
