import { randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import { type JsonObject, withoutTemporaryKeys } from '@agentmesh/proto/event';
import {
  type AppendEventsRequest,
  type AttemptEnd,
  AttemptEnd_Outcome,
  type BeginTurnRequest,
  RunStatus,
  type SessionKey,
  type Turn,
  TurnSchema,
} from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';

/** A stored event, parsed. */
export type Stored = JsonObject & { id: string; author: string };

/** Lease of granted turns. It differs from the executor's default, so that tests see which one is used. */
export const leaseSeconds = 15;

export interface StoredRun {
  readonly request: BeginTurnRequest;
  readonly invocationId: string;
  status: 'queued' | 'granted' | 'running' | 'ended';
  attempt: number;
  end?: AttemptEnd;
  /** Fence of the attempt that is being cancelled. */
  cancelling?: bigint;
}

export interface StoredSession {
  readonly key: SessionKey;
  readonly pk: bigint;
  readonly events: Uint8Array[];
  readonly state: JsonObject;
  readonly runs: StoredRun[];
  /** Deltas by sequence. */
  readonly deltas: Map<number, Uint8Array>;
  fence: bigint;
  turn?: string;
}

export function publicStatus({ status, end }: StoredRun): RunStatus {
  if (status === 'running') return RunStatus.RUNNING;
  if (status !== 'ended') return RunStatus.QUEUED;
  return end?.outcome === AttemptEnd_Outcome.COMPLETED ? RunStatus.COMPLETED : RunStatus.CANCELLED;
}

function unused(): never {
  throw new MeshError('internal', 'unused', 'Runs do not call this.');
}

/** Methods that runs do not call. */
export const notCalled = {
  listSlowAccounts: unused,
  listSessionKeys: unused,
  findRunHolder: unused,
  claimOverdueRuns: unused,
  rewindSession: unused,
  forkSession: unused,
  claimCompaction: unused,
  storeCompaction: unused,
  listEvents: unused,
  listSessions: unused,
  patchSession: unused,
  deleteSession: unused,
  findCredentialRequest: unused,
  listRuns: unused,
  summarizeRuns: unused,
  getRetention: unused,
  declareRetention: unused,
  addRunMessage: unused,
  setRetention: unused,
};

export function startTurn(session: StoredSession, run: StoredRun): Turn {
  const { request, invocationId } = run;
  session.fence += 1n;
  session.turn = invocationId;
  run.status = 'running';
  run.attempt += 1;
  append(session, userEvent(run), request.stateDeltaJson);
  const known = knownSeq(session, request);
  return create(TurnSchema, {
    session: session.key,
    invocationId,
    fence: session.fence,
    attempt: run.attempt,
    lastSeq: session.events.length,
    stateJson: encode(session.state),
    events: session.events.slice(known),
    knownSeq: known,
    turnStarts: [session.events.length],
    customMetadataJson: request.customMetadataJson,
    messageJson: request.messageJson,
    streaming: request.streaming,
    sessionPk: session.pk,
    leaseSeconds,
  });
}

function knownSeq({ pk, events }: StoredSession, { known }: BeginTurnRequest): number {
  const newest = known?.sessionPk === pk ? events[known.lastSeq - 1] : undefined;
  return known !== undefined && newest !== undefined && (decode(newest) as Stored).id === known.eventId
    ? known.lastSeq
    : 0;
}

export function append(session: StoredSession, json: Uint8Array, stateDeltaJson: Uint8Array): void {
  session.events.push(json);
  if (stateDeltaJson.length === 0) return;
  session.deltas.set(session.events.length, stateDeltaJson);
  for (const [key, value] of Object.entries(decode(stateDeltaJson) as JsonObject)) {
    if (value === null) delete session.state[key];
    else session.state[key] = value;
  }
}

export function othersSince(session: StoredSession | undefined, lastSeq: number): Uint8Array[] {
  return [...(session?.deltas ?? [])].filter(([seq]) => seq > lastSeq).map(([, delta]) => delta);
}

/** Whether the events of a request are stored already. */
export function holds(session: StoredSession, { events }: AppendEventsRequest): boolean {
  const ids = new Set(session.events.map((json) => (decode(json) as Stored).id));
  return events.length > 0 && events.every(({ id }) => ids.has(id));
}

function userEvent({ request, invocationId }: StoredRun): Uint8Array {
  const delta = request.stateDeltaJson.length === 0 ? {} : (decode(request.stateDeltaJson) as JsonObject);
  const actions = { stateDelta: withoutTemporaryKeys(delta), artifactDelta: {} };
  const content = request.messageJson.length === 0 ? {} : { content: decode(request.messageJson) };
  return encode({ id: randomUUID(), author: 'user', invocationId, timestamp: Date.now() / 1000, ...content, actions });
}

export function nameOf({ accountId, appName, userId, sessionId }: SessionKey): string {
  return JSON.stringify([accountId, appName, userId, sessionId]);
}

/** JSON as UTF-8 bytes. */
export function encode(value: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}

export function decode(json: Uint8Array): unknown {
  return JSON.parse(new TextDecoder().decode(json));
}

/** Messages that were added to the run behind the sequence of an append. */
export function messagesSince(
  session: StoredSession | undefined,
  { lastSeq, invocationId }: Pick<AppendEventsRequest, 'lastSeq' | 'invocationId'>,
): Uint8Array[] {
  return (session?.events ?? []).slice(lastSeq).filter((bytes) => {
    const { author, invocationId: id, content } = decode(bytes) as Stored;
    return author === 'user' && id === invocationId && content !== undefined;
  });
}

/** The run that an earlier request with the idempotency key of this one started. */
export function runOfKey(all: Iterable<StoredSession>, { idempotencyKey, onlyRepeats, session }: BeginTurnRequest) {
  const own = [...all].filter(({ key }) => key.accountId === session?.accountId).flatMap(({ runs }) => runs);
  const found =
    idempotencyKey === '' ? undefined : own.find(({ request }) => request.idempotencyKey === idempotencyKey);
  if (found === undefined && onlyRepeats) throw new MeshError('not_found', 'run_not_found', 'No such run.');
  return found;
}
