export { addSchedules } from './schedules.ts';
