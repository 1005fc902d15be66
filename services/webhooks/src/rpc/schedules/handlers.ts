import type { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { ServiceImpl } from '@connectrpc/connect';

/** The handler of every RPC about schedules, by its name. */
export type ScheduleHandlers = ServiceImpl<typeof SchedulesService>;
