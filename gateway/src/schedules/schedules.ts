import { Type } from 'typebox';
import { type App, type Context, unary } from '../context.ts';
import { addScheduleChanges } from './schedule-changes.ts';
import { scheduleJson } from './schedule-json.ts';
import { Schedule, SchedulePath } from './schedule-record.ts';
import { routeFamily } from '../edge/http/route-family.ts';

const reads = routeFamily({ tag: 'schedules', caller: 'account', scope: 'runs:read' });

const path = '/api/schedules';

/** Schedules of the caller's account. */
export function addSchedules(app: App, context: Context): void {
  addReads(app, context);
  addScheduleChanges(app, context);
}

function addReads(app: App, { schedules, authentication }: Context): void {
  app.get(
    path,
    reads(authentication, {
      operationId: 'listSchedules',
      summary: 'List schedules',
      description: 'All schedules of the account, oldest first. An account has at most 100.',
      response: { 200: Type.Array(Schedule) },
    }),
    async ({ identity: { accountId } }) => {
      const listed = await schedules.listSchedules({ accountId }, unary);
      return listed.schedules.map(scheduleJson);
    },
  );
  app.get(
    `${path}/:id`,
    reads(authentication, {
      operationId: 'getSchedule',
      summary: 'Get a schedule',
      description: 'With its next ticks, the latest run, and the number of missed ticks.',
      params: SchedulePath,
      response: { 200: Schedule },
      refusals: [404],
    }),
    async ({ identity: { accountId }, params: { id } }) =>
      scheduleJson((await schedules.getSchedule({ accountId, id }, unary)).schedule),
  );
}
