import type { Task } from '@a2a-js/sdk';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { eventsOfRun } from '../road/events-of-run.ts';
import type { DoorRun } from '../road/start-run.ts';
import { watchRun } from '../road/watch-run.ts';
import { TaskTelling } from './task-telling.ts';

/** True while a run has neither ended nor waits for an answer. */
export function isGoing({ status }: LedgerRun): boolean {
  return status === RunStatus.QUEUED || status === RunStatus.RUNNING;
}

/** A run as the task that it is now, from its stored events. Only one that is over is watched: another one might go on meanwhile, for long. */
export async function readTask(
  context: Pick<Context, 'runs' | 'sessions' | 'leaving'>,
  { run, record, signal }: { readonly run: DoorRun; readonly record: LedgerRun; readonly signal: AbortSignal },
): Promise<TaskTelling> {
  const telling = new TaskTelling(run, record.status);
  if (isGoing(record) || record.status === RunStatus.WAITING) {
    for (const { seq, json } of await eventsOfRun(context, run, { record, signal }))
      telling.take({ frame: { seq, partial: 0, json } });
    if (!isGoing(record)) telling.take({ end: record });
    return telling;
  }
  for await (const told of watchRun(context, run, { signal })) telling.take(told);
  signal.throwIfAborted();
  return telling;
}

/** A task with the newest messages of its history only. */
export function withHistory(task: Task, most: number | undefined): Task {
  if (most === undefined) return task;
  return { ...task, history: most === 0 ? [] : task.history.slice(-most) };
}
