import type { Queryable } from '../pg/index.ts';
import type { Attempt, Handler, NewJob, Task, TaskRules } from './task.ts';

/** The job queue of a service, in its schema `<service>_jobs`. */
export interface Jobs extends AsyncDisposable {
  /** Adds jobs with one statement, in the transaction of the fact they follow. Throws what the task's `read` throws. */
  add<P extends object>(db: Queryable, task: Task<P>, jobs: readonly NewJob<P>[]): Promise<void>;
  /**
   * Removes the jobs whose payload holds all of `match`, of one task or of all. A job that is being done goes too: its handler ends,
   * and is not tried again. Answers how many there were.
   */
  remove(db: Queryable, match: object, task?: TaskRules): Promise<number>;
  /** Whether an attempt still stands: its job was neither removed nor taken over by another process. */
  isHeld(db: Queryable, task: TaskRules, attempt: Attempt): Promise<boolean>;
  /** Starts to do the jobs of a task, until the process drains. */
  work<P extends object>(task: Task<P>, handler: Handler<P>): Promise<void>;
  /** Looks for jobs of a task now. For calls after a commit; without it they are found within `pollSeconds`. */
  wake(task: TaskRules): void;
  /** Does the jobs of a task that are due, and those that become due meanwhile. For tests. */
  drain<P extends object>(task: Task<P>, handler: Handler<P>): Promise<void>;
  /** Resolves when no job is due or in hand here. For tests. */
  settle(): Promise<void>;
}
