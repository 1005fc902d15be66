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
  /** Takes the viewer of a run out; undefined when nobody watches it. */
  take(run: WaitingRun): Viewer | undefined;
  /** Those of an invocation, whose session the bus does not name. */
  find(accountId: string, invocationId: string): WaitingRun[];
  /** Those that have waited since before `thenMs`. */
  since(thenMs: number): WaitingRun[];
  has(run: WaitingRun): boolean;
  /** Lets all viewers go and says why; their runs are durable and another process takes them up. */
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
