import type { Queryable } from '../pg/index.ts';
import type { Attempt, Handler, NewJob, Task, TaskRules } from './task.ts';

/** The job queue of a service, in its schema `<service>_jobs`. */
export interface Jobs extends AsyncDisposable {
  /** Adds jobs with one statement, in the transaction that causes them. Throws the errors of the task's `read`. */
  add<P extends object>(db: Queryable, task: Task<P>, jobs: readonly NewJob<P>[]): Promise<void>;
  /**
   * Removes the jobs whose payload holds all of `match`, of one task or of all. A job that is being done goes too: its handler ends,
   * and is not tried again. Answers how many there were.
   */
  remove(db: Queryable, match: object, task?: TaskRules): Promise<number>;
  /** Returns whether an attempt is still valid: its job was neither removed nor taken over by another process. */
  isHeld(db: Queryable, task: TaskRules, attempt: Attempt): Promise<boolean>;
  /** Starts to do the jobs of a task. It stops when the process drains. */
  work<P extends object>(task: Task<P>, handler: Handler<P>): Promise<void>;
  /** Polls for jobs of a task at once. Call it after the commit; otherwise the jobs are found within `pollSeconds`. */
  wake(task: TaskRules): void;
  /** Does the jobs of a task that are due, and those that become due during the call. For tests. */
  drain<P extends object>(task: Task<P>, handler: Handler<P>): Promise<void>;
  /** Resolves when no job is due or in hand here. For tests. */
  settle(): Promise<void>;
}
