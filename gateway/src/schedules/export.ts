import { unary } from '../context.ts';
import type { ExportPart } from '../export-part.ts';
import { scheduleJson } from './schedule-json.ts';

export const scheduleExport: ExportPart = {
  kinds: ['schedule'],
  async *read({ schedules }, { accountId }) {
    const listed = await schedules.listSchedules({ accountId }, unary);
    for (const schedule of listed.schedules) yield { kind: 'schedule', data: scheduleJson(schedule) };
  },
};
