export { migrateJobs } from './migrate-jobs.ts';
export type { Jobs } from './jobs.ts';
export { type JobsOptions, openJobs } from './open-jobs.ts';
export {
  type Attempt,
  defineTask,
  type Handler,
  type NewJob,
  PermanentJobError,
  type Task,
  type TaskRules,
} from './task.ts';
