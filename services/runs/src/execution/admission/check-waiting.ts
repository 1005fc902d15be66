import type { Logger } from '@agentmesh/lib/telemetry';
import type { QueuedRun, SessionsService } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import { leave } from './left-runs.ts';
import type { WaitingRun, WaitingRuns } from './waiting-runs.ts';

const timeoutMs = 2_500;

interface Waiting {
  readonly owner: string;
  readonly sessions: Client<typeof SessionsService>;
  readonly waiting: WaitingRuns;
  readonly log: Logger;
}

/** Asks the ledger about at most 1,000 waiting runs: which have their turn, which have left the queue, and the places of the others. */
export async function checkWaiting(context: Waiting, runs: readonly WaitingRun[]): Promise<void> {
  const { owner, sessions, waiting } = context;
  const asked = runs.map(({ session, sessionPk, invocationId }) => ({
    accountId: session.accountId,
    sessionPk,
    invocationId,
  }));
  const byName = new Map(asked.map((name, index) => [nameOf(name), runs[index]]));
  const { granted, left, queued } = await sessions.checkQueuedRuns({ owner, runs: asked }, { timeoutMs });
  for (const run of granted) {
    const known = byName.get(nameOf(run));
    if (known !== undefined) waiting.grant(known);
  }
  for (const run of queued) byName.get(nameOf(run))?.viewer?.queued(run.queuePosition);
  for (const { run, status } of left) {
    const known = run && byName.get(nameOf(run));
    // A run that is being started here has left the queue, too.
    if (known !== undefined && waiting.isIdle(known)) leave(context, known, status);
  }
}

/** To be called when a run of a session has started: the viewers of those behind it learn their places. Does not wait. */
export function tellPlaces(context: Waiting, accountId: string, sessionPk: bigint): void {
  const runs = context.waiting.watchedIn(accountId, sessionPk).slice(0, 1_000);
  if (runs.length === 0) return;
  checkWaiting(context, runs).catch((err: unknown) =>
    context.log.warn({ err }, 'places of waiting runs are not known'),
  );
}

function nameOf({ accountId, sessionPk, invocationId }: Pick<QueuedRun, 'accountId' | 'sessionPk' | 'invocationId'>) {
  return `${accountId}/${sessionPk}/${invocationId}`;
}
