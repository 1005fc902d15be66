import { once } from '@agentmesh/lib/idempotency';
import { SchedulesService } from '@agentmesh/proto/webhooks/v1/schedules';
import type { Schedules } from '../../schedules/schedules.ts';
import { createSchedule } from './create-schedule.ts';
import { deleteSchedule } from './delete-schedule.ts';
import { getSchedule } from './get-schedule.ts';
import type { ScheduleHandlers } from './handlers.ts';
import { listSchedules } from './list-schedules.ts';
import { updateSchedule } from './update-schedule.ts';

/** Every RPC about schedules. */
export function createScheduleHandlers(schedules: Schedules): ScheduleHandlers {
  const { method } = SchedulesService;
  return {
    createSchedule: once(schedules, method.createSchedule, createSchedule),
    listSchedules: listSchedules(schedules),
    getSchedule: getSchedule(schedules),
    updateSchedule: once(schedules, method.updateSchedule, updateSchedule),
    deleteSchedule: deleteSchedule(schedules),
  };
}
