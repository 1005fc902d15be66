import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { runPostponed } from '../../errors.ts';
import type { Viewer } from './viewer.ts';

/** A run that waits for its session's turn, by the names that the bus and the ledger use. */
export interface WaitingRun {
  readonly session: SessionKey;
  readonly invocationId: string;
}

/** Viewers of runs that this process has queued and does not execute yet. */
export interface WaitingViewers {
  add(run: WaitingRun, viewer: Viewer): void;
  /** Removes and returns the viewer of a run; undefined when the run has none. */
  take(run: WaitingRun): Viewer | undefined;
  /** Runs with an invocation id; the bus does not name their session. */
  find(accountId: string, invocationId: string): WaitingRun[];
  /** Runs that have waited since `thenMs` or longer. */
  since(thenMs: number): WaitingRun[];
  has(run: WaitingRun): boolean;
  /** Ends all viewers with `runPostponed`. Their runs are durable; another process executes them. */
  failAll(): void;
}

interface Entry {
  readonly run: WaitingRun;
  readonly viewer: Viewer;
  readonly sinceMs: number;
}

export function createWaitingViewers(): WaitingViewers {
  const entries = new Map<string, Entry>();
  const runs = (wanted: (entry: Entry) => boolean): WaitingRun[] =>
    [...entries.values()].filter(wanted).map(({ run }) => run);
  return {
    add: (run, viewer) => void entries.set(nameOf(run), { run, viewer, sinceMs: Date.now() }),
    take(run) {
      const entry = entries.get(nameOf(run));
      entries.delete(nameOf(run));
      return entry?.viewer;
    },
    find: (accountId, invocationId) =>
      runs(({ run }) => run.session.accountId === accountId && run.invocationId === invocationId),
    since: (thenMs) => runs(({ sinceMs }) => sinceMs <= thenMs),
    has: (run) => entries.has(nameOf(run)),
    failAll() {
      for (const { viewer } of entries.values()) viewer.fail(runPostponed);
      entries.clear();
    },
  };
}

function nameOf({ session, invocationId }: WaitingRun): string {
  return JSON.stringify([session.accountId, session.appName, session.userId, session.sessionId, invocationId]);
}
