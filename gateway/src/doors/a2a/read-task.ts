import type { Task } from '@a2a-js/sdk';
import { type LedgerRun, RunStatus, type StoredEvent } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import type { DoorRun } from '../road/start-run.ts';
import { watchRun } from '../road/watch-run.ts';
import { TaskTelling } from './task-telling.ts';

/** Seconds by which the clocks of processes may differ. */
const clocksDiffer = 60;

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
    for (const { seq, json } of await eventsSoFar(context, run, record))
      telling.take({ frame: { seq, partial: 0, json } });
    if (!isGoing(record)) telling.take({ end: record });
    return telling;
  }
  for await (const told of watchRun(context, run, { signal })) telling.take(told);
  signal.throwIfAborted();
  return telling;
}

/** The events of a run that goes on, or waits, are among the newest ones of its session. */
async function eventsSoFar(
  { sessions }: Pick<Context, 'sessions'>,
  { accountId, appName, userId, sessionId, invocationId }: DoorRun,
  { createTime }: LedgerRun,
): Promise<StoredEvent[]> {
  const session = { accountId, appName, userId, sessionId };
  const own: StoredEvent[] = [];
  for (let afterSeq = 0, isLast = false; !isLast; ) {
    const { events, more } = await sessions.listEvents({ session, afterSeq, newestFirst: true }, unary);
    own.push(...events.filter((event) => event.invocationId === invocationId));
    const oldest = events.at(-1);
    afterSeq = oldest?.seq ?? 0;
    isLast = !more || oldest === undefined || oldest.timestamp < createTime - clocksDiffer;
  }
  return own.toReversed();
}

/** A task with the newest messages of its history only. */
export function withHistory(task: Task, most: number | undefined): Task {
  if (most === undefined) return task;
  return { ...task, history: most === 0 ? [] : task.history.slice(-most) };
}
