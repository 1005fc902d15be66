export { addSchedules } from './schedules.ts';
export { scheduleExport } from './export.ts';
