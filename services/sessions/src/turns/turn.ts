import type { JsonObject } from '@agentmesh/proto/event';
import type { TurnSchema } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { addedEvent, readMessages } from '../events/added-messages.ts';
import { createUserEvent } from '../events/user-event.ts';
import { bytesOf } from '../json-bytes.ts';
import type { CheckedKey } from '../session-key.ts';
import { applyDelta, printState, toChanges } from '../state-delta.ts';
import type { StoredEvent } from '../store/events/events.ts';
import { windowBytesBeside } from '../store/events/window-bytes.ts';
import { bytesOfEvents, type SizeLimits } from '../store/sizes.ts';
import type { StartedTurn } from '../store/turns/turn-outcome.ts';
import type { KnownEvents, TurnStart } from '../store/turns/turn-values.ts';
import { type UsageBefore, usageBefore } from './run-usage.ts';
import { completeWindow } from './window.ts';

/** A request to execute a run. */
export interface Attempt {
  key: CheckedKey;
  invocationId: string;
  owner: string;
  /** How many recent events the executor wants. */
  window: number;
  known: KnownEvents;
  /** The user's Content as JSON text. */
  message: string | undefined;
  stateDelta: JsonObject;
  customMetadata: string | undefined;
  streaming: boolean;
  /** The run may not change `app:` state. */
  isBound: boolean;
  /** Sequence of the event whose calls the message answers. */
  answeredSeq: number | undefined;
  /** JSON of messages that were kept for it and come behind its own; absent: none. */
  added?: string | null;
}

/** An attempt to start whose answer has a size that is known. */
export interface BoundedStart extends TurnStart {
  /** The answer that hands over the turn has no more bytes than these. */
  readonly maxBytes: number;
}

/** The rows to write when the attempt starts. Its user event gets the current time. */
export function startOf(attempt: Attempt, { leaseSeconds, limits }: Context): BoundedStart {
  const { key, invocationId, owner, window, known, message, stateDelta, customMetadata, answeredSeq } = attempt;
  const carries = message !== undefined || Object.keys(stateDelta).length > 0;
  const answersCalls = answeredSeq !== undefined;
  const content = { invocationId, message, stateDelta, customMetadata, answersCalls };
  const kept = readMessages(attempt.added).map((text) => addedEvent({ invocationId, customMetadata }, text));
  const events = [...(carries ? [createUserEvent(content)] : []), ...kept];
  const changes = toChanges(stateDelta);
  const otherBytes = bytesBeside(attempt, { events, limits });
  const windowBytes = windowBytesBeside(otherBytes);
  const maxBytes = otherBytes + windowBytes;
  return { key, invocationId, owner, leaseSeconds, window, windowBytes, known, events, changes, limits, maxBytes };
}

/** Most bytes of a turn besides its window: so its answer can always be sent when the turn is taken. */
function bytesBeside(
  { message = '', stateDelta, customMetadata = '' }: Attempt,
  { events, limits }: { readonly events: readonly StoredEvent[]; readonly limits: SizeLimits },
): number {
  const given = Buffer.byteLength(message) + Buffer.byteLength(customMetadata) + temporaryBytes(stateDelta);
  return given + bytesOfEvents(events) + 3 * limits.stateScopeBytes;
}

function temporaryBytes(stateDelta: JsonObject): number {
  let bytes = 0;
  for (const name in stateDelta) {
    if (name.startsWith('temp:')) bytes += Buffer.byteLength(JSON.stringify([name, stateDelta[name]]));
  }
  return bytes;
}

/** A turn that was taken. */
interface Taken {
  readonly start: TurnStart;
  readonly turn: StartedTurn;
  /** Use of the attempts before, of a run that is taken over. */
  readonly used?: UsageBefore;
  /** How many executors of such a run have died. */
  readonly deaths?: number;
  /** See Turn. */
  readonly isPlain?: boolean;
}

/** The turn for the executor: the state with the attempt's delta, and the window with its user event. */
export async function toTurn(
  { db, leaseSeconds, limits, usage }: Context,
  attempt: Attempt,
  { start, turn, used, deaths = 0, isPlain = false }: Taken,
): Promise<MessageInitShape<typeof TurnSchema>> {
  usage.add(attempt.key.accountId, { bytes: bytesOfEvents(start.events) });
  const base = turn.lastSeq - start.events.length;
  const from = attempt.answeredSeq ?? turn.lastSeq;
  const window = completeWindow(
    db,
    { ...turn, accountId: attempt.key.accountId },
    { known: start.known, base, from, maxBytes: start.windowBytes, window: start.window },
  );
  const { knownSeq, events } = window instanceof Promise ? await window : window;
  const all = [...events, ...start.events];
  const { sessionPk, attempt: number } = turn;
  // Only a run that goes on has used anything. A first attempt has no round trip for it.
  const name = { accountId: attempt.key.accountId, sessionPk, invocationId: attempt.invocationId };
  const before = used ?? (number > 1 ? await usageBefore(db, name) : undefined);
  applyDelta(turn.state, attempt.stateDelta);
  return {
    session: attempt.key,
    sessionPk: turn.sessionPk,
    invocationId: attempt.invocationId,
    fence: turn.fence,
    attempt: turn.attempt,
    lastSeq: turn.lastSeq,
    stateJson: bytesOf(printState(turn.state)),
    events: all.map(({ json }) => bytesOf(json)),
    knownSeq,
    timeline: db.timeline,
    isPlain,
    turnStarts: turnStarts(all, turn.lastSeq),
    customMetadataJson: bytesOf(attempt.customMetadata ?? ''),
    messageJson: bytesOf(attempt.message ?? ''),
    streaming: attempt.streaming,
    isBound: attempt.isBound,
    leaseSeconds,
    stateMaxValueBytes: limits.stateValueBytes,
    stateMaxScopeBytes: limits.stateScopeBytes,
    waitingForJson: bytesOf(turn.waitingFor ?? ''),
    isTakeover: used !== undefined,
    deaths,
    usedJson: bytesOf(before === undefined ? '' : JSON.stringify(before.all)),
    unreportedJson: bytesOf(used === undefined ? '' : JSON.stringify(used.unreported)),
  };
}

function turnStarts(events: readonly { turnStart: boolean }[], lastSeq: number): number[] {
  const firstSeq = lastSeq - events.length + 1;
  return events.flatMap(({ turnStart }, index) => (turnStart ? [firstSeq + index] : []));
}
