import type { Placeholders } from '@agentmesh/lib/pg';
import type { CheckedKey } from '../../session-key.ts';
import type { RunKey } from '../ledger/run-keys.ts';
import { bytesOfEvents } from '../sizes.ts';
import type { Write } from '../write.ts';

/** An attempt to start or queue. */
export interface TurnStart extends Write {
  readonly key: CheckedKey;
  readonly invocationId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  /** How many recent events to read. */
  readonly window: number;
  /** Most bytes of these events. */
  readonly windowBytes: number;
  /** Events that need not be read again, if the session is this one. */
  readonly known: KnownEvents;
}

/** The events up to a sequence of one session, which the executor holds already. */
export interface KnownEvents {
  readonly sessionPk: bigint;
  readonly lastSeq: number;
  /** Id of the event with this sequence. */
  readonly eventId: string;
  /** Time of that event in Unix seconds; 0: not known. */
  readonly lastTime: number;
  /** The timeline of the database under which it got them. */
  readonly timeline: string;
}

/** Names no session. */
export const nothingKnown: KnownEvents = { sessionPk: 0n, lastSeq: 0, eventId: '', lastTime: 0, timeline: '' };

/** The request of a run, kept with it while it waits. JSON texts. */
export interface RunRequest {
  readonly message: string | null;
  readonly stateDelta: string | null;
  readonly customMetadata: string | null;
  readonly streaming: boolean;
  readonly isBound: boolean;
  /** Sequence of the event whose calls the message answers. */
  readonly answeredSeq: number | null;
  /** A free turn is granted to the owner, who starts the run later. */
  readonly postpone: boolean;
  /** The ends of its attempts are told through the outbox. `takeFreeTurn` does not store it. */
  readonly awaited: boolean;
  /** The run is not accepted when another one holds the turn. */
  readonly rejects: boolean;
  /** Not null: the run is accepted only if it waits for an answer since this attempt. */
  readonly waitingAttempt: number | null;
  /** The run starts with the messages that it has kept: it is accepted, or taken, only while they are `added`. */
  readonly takesAdded: boolean;
  readonly added: string | null;
}

export interface TurnValues extends CheckedKey, RunRequest, Partial<RunKey> {
  readonly invocationId: string;
  readonly owner: string;
  readonly leaseSeconds: number;
  readonly window: number;
  /** Bytes of the events that the turn starts with, and most bytes of all events of the session. */
  readonly addedBytes: number;
  readonly maxBytes: number;
  readonly windowBytes: number;
  /** The session whose events up to `knownSeq` are not read. */
  readonly knownPk: bigint;
  readonly knownSeq: number;
  readonly knownEventId: string;
  readonly knownTime: number;
}

export type TurnParams = Placeholders<TurnValues>;

/** The values of a statement that takes a turn. */
export function turnValues(start: TurnStart, request?: RunRequest): TurnValues {
  const { key, events, known, limits } = start;
  return {
    accountId: key.accountId,
    appName: key.appName,
    userId: key.userId,
    sessionId: key.sessionId,
    invocationId: start.invocationId,
    owner: start.owner,
    leaseSeconds: start.leaseSeconds,
    window: start.window,
    addedBytes: bytesOfEvents(events),
    maxBytes: limits.sessionBytes,
    windowBytes: start.windowBytes,
    knownPk: known.sessionPk,
    knownSeq: known.lastSeq,
    knownEventId: known.eventId,
    knownTime: known.lastTime,
    message: request?.message ?? null,
    stateDelta: request?.stateDelta ?? null,
    customMetadata: request?.customMetadata ?? null,
    streaming: request?.streaming ?? false,
    isBound: request?.isBound ?? false,
    answeredSeq: request?.answeredSeq ?? null,
    postpone: request?.postpone ?? false,
    awaited: request?.awaited ?? false,
    rejects: request?.rejects ?? false,
    waitingAttempt: request?.waitingAttempt ?? null,
    takesAdded: request?.takesAdded ?? false,
    added: request?.added ?? null,
  };
}
