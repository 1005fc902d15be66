import type { LedgerRun, StoredEvent } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import type { DoorRun } from './start-run.ts';

/** Seconds by which the clocks of processes may differ. */
const clocksDiffer = 60;

interface Reading {
  readonly record: Pick<LedgerRun, 'createTime'>;
  readonly signal: AbortSignal;
}

/** The stored events of a run, oldest first. Those of a run that goes on, or waits, are among the newest ones of its session. */
export async function eventsOfRun(
  { sessions }: Pick<Context, 'sessions'>,
  { accountId, appName, userId, sessionId, invocationId }: DoorRun,
  { record, signal }: Reading,
): Promise<StoredEvent[]> {
  const session = { accountId, appName, userId, sessionId };
  const own: StoredEvent[] = [];
  for (let afterSeq = 0, isLast = false; !isLast; ) {
    const { events, more } = await sessions.listEvents({ session, afterSeq, newestFirst: true }, { ...unary, signal });
    own.push(...events.filter((event) => event.invocationId === invocationId));
    const oldest = events.at(-1);
    afterSeq = oldest?.seq ?? 0;
    isLast = !more || oldest === undefined || oldest.timestamp < record.createTime - clocksDiffer;
  }
  return own.toReversed();
}
