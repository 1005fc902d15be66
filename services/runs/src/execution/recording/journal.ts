import { setTimeout as delay } from 'node:timers/promises';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Stopping } from '@agentmesh/lib/wait';
import type { WireEvent } from '@agentmesh/proto/event';
import type { AppendEventsResponse, AttemptEnd, SessionsService, Turn } from '@agentmesh/proto/sessions/v1';
import type { Client } from '@connectrpc/connect';
import type { RunWaits } from '../../models/use/run-waits.ts';

export type End = Pick<AttemptEnd, 'outcome'> & Partial<Omit<AttemptEnd, '$typeName' | '$unknown' | 'outcome'>>;

export interface JournalOptions {
  readonly sessions: Client<typeof SessionsService>;
  readonly turn: Turn;
  /** Ends the retries. */
  readonly lost: Stopping;
  /** Notes the time of each append as a wait for the lease, which the same service extends. */
  readonly waits?: RunWaits | undefined;
}

const callTimeoutMs = 5_000;
const firstPauseMs = 50;
const longestPauseMs = 1_000;
/** Most internal errors of one append. Without a limit a permanent error would block the session for ever. */
const mostFaults = 8;

/** Stores the events of a running attempt. */
export class Journal {
  readonly #options: JournalOptions;
  readonly #written: WireEvent[] = [];
  #lastSeq: number;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#lastSeq = options.turn.lastSeq;
  }

  /** The events stored so far. */
  get written(): readonly WireEvent[] {
    return this.#written;
  }

  /** Sequence of the session's last event in the latest answer. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  /**
   * Appends whole events and, with `end`, ends the attempt, in one call. Tries again while the sessions service cannot be
   * reached: it knows repeated events by their ids. Throws MeshError aborted `fence_lost`, not_found when the session is
   * gone, invalid_argument for what cannot be stored, internal when it keeps failing on it, and the reason of a lost turn.
   */
  async append(events: readonly WireEvent[], end?: End): Promise<AppendEventsResponse> {
    const { sessions, turn, lost, waits } = this.#options;
    const request = {
      accountId: turn.session?.accountId ?? '',
      sessionPk: turn.sessionPk,
      invocationId: turn.invocationId,
      fence: turn.fence,
      lastSeq: this.#lastSeq,
      events: [...events],
      takesMessages: true,
      ...(end === undefined ? {} : { end }),
    };
    const waiting = waits?.begin('lease');
    try {
      const response = await untilAnswered(() => sessions.appendEvents(request, { timeoutMs: callTimeoutMs }), lost);
      this.#lastSeq = response.lastSeq;
      this.#written.push(...events);
      const step = waits?.step();
      if (step !== undefined) await step;
      return response;
    } finally {
      // `using` calls V8's runtime three times.
      waiting?.[Symbol.dispose]();
    }
  }
}

/**
 * Repeats a call until it is answered. When the turn is lost meanwhile, an earlier try may be why: it was stored after its connection had broken, and
 * ended the attempt. So the call is repeated once more, which the fence makes safe.
 */
async function untilAnswered<T>(call: () => Promise<T>, lost: Stopping): Promise<T> {
  let faults = 0;
  lost.check();
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    const isLast = lost.ended !== undefined;
    try {
      return await call();
    } catch (error) {
      if (isLast) lost.check();
      if (isFault(error)) faults += 1;
      if (!mayPass(error) || faults === mostFaults) throw error;
    }
    // The loss ends the pause.
    await delay(pauseMs * (0.5 + Math.random()), undefined, { signal: lost.signal }).catch(() => undefined);
  }
}

function mayPass(error: unknown): boolean {
  return isFault(error) || (error instanceof MeshError && ['unavailable', 'deadline_exceeded'].includes(error.code));
}

function isFault(error: unknown): boolean {
  return !(error instanceof MeshError) || error.code === 'internal';
}
