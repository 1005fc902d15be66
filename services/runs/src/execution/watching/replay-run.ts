import type { ContentJson, EventJson } from '@agentmesh/proto/event';
import type { Continuation, RunRequest, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Frame } from './run-place.ts';
import { type FailedEvent, raisedFailure } from '../recording/early-end.ts';
import { type Watching, watchEvents } from './watch-events.ts';

type Response = MessageInitShape<typeof RunResponseSchema>;

/** The run of a request, and how much of it the caller knows: see Continuation. */
interface Replayed extends Pick<Continuation, 'invocationId' | 'afterSeq' | 'acceptedSeq' | 'cancels'> {
  readonly request: RunRequest;
}

/**
 * The events that a request has brought about, for one that repeats it or goes on with it: those behind its message and `afterSeq`, up to the next
 * message to the same run. Waits until the run is over. Ends with `moved` when this process stops before.
 */
export async function* replayRun(
  context: Watching,
  { request, invocationId, afterSeq, acceptedSeq, cancels }: Replayed,
  signal: AbortSignal,
): AsyncGenerator<Response> {
  let shownSeq = afterSeq;
  let failure: ReturnType<typeof raisedFailure>;
  const { accountId = '', appName = '', userId = '', sessionId = '' } = request.session ?? {};
  const name = { accountId, appName, userId, sessionId, invocationId };
  const run = { ...name, afterSeq: Math.max(afterSeq, acceptedSeq), afterPartial: 0 };
  const partOf = createParts(request, { afterSeq, acceptedSeq });
  for await (const { frames = [], isOver } of watchEvents(context, run, signal)) {
    for (const frame of frames) {
      const event = readEvent(frame);
      const part = event && partOf(event);
      if (part === 'next') return;
      if (event === undefined || part !== 'own' || isShown(frame, shownSeq)) continue;
      yield { kind: { case: 'event', value: toWire(event, frame) } };
      if (event.partial === true) continue;
      shownSeq = frame.seq ?? shownSeq;
      failure = raisedFailure(event as FailedEvent);
    }
    if (isOver !== true) continue;
    if (failure !== undefined) yield { kind: { case: 'failure', value: failure } };
    return;
  }
  if (!signal.aborted)
    yield { kind: { case: 'moved', value: { invocationId, afterSeq: shownSeq, acceptedSeq, cancels } } };
}

/** Partial events have the sequence of the stored event before them. */
function isShown({ seq = 0, partial = 0 }: Frame, shownSeq: number): boolean {
  return partial === 0 ? seq <= shownSeq : seq < shownSeq;
}

/**
 * Tells for each event in order whether the request gets it: `other` for those before, `next` for the message after. The first message behind the place where
 * the run was accepted is that of the request, whatever was added to it while it waited. Where the place is not known, the first one that begins like it.
 */
function createParts(
  { messageJson, streaming }: RunRequest,
  { afterSeq, acceptedSeq }: Pick<Replayed, 'afterSeq' | 'acceptedSeq'>,
): (event: EventJson) => 'other' | 'own' | 'next' {
  const isResumed = messageJson.length === 0;
  let isBehindMessage = isResumed || afterSeq > 0;
  return (event) => {
    if (event.author === 'user' && !isAdded(event)) {
      if (isBehindMessage && !isResumed) return 'next';
      isBehindMessage ||= acceptedSeq > 0 || isMessage(event, messageJson);
      return 'other';
    }
    return isBehindMessage && (streaming || event.partial !== true) ? 'own' : 'other';
  };
}

/** Whether a message was added to the run while it was running. */
function isAdded({ customMetadata }: EventJson): boolean {
  return typeof customMetadata === 'object' && customMetadata !== null && 'addedToRun' in customMetadata;
}

/** Undefined for a gap. */
function readEvent({ json }: Frame): EventJson | undefined {
  if (json === undefined || json.length === 0) return undefined;
  return JSON.parse(Buffer.from(json).toString()) as EventJson;
}

/** Whether an event has the message of the request, which may have been added to while it waited. */
function isMessage({ content }: EventJson, messageJson: Uint8Array): boolean {
  const { parts: given = [], ...message } = JSON.parse(Buffer.from(messageJson).toString()) as ContentJson;
  const { parts = [], ...stored } = content ?? {};
  return JSON.stringify([stored, parts.slice(0, given.length)]) === JSON.stringify([message, given]);
}

function toWire({ id, author, invocationId, timestamp, partial, actions }: EventJson, { json }: Frame) {
  const hasArtifacts = Object.keys(actions.artifactDelta).length > 0;
  return {
    id,
    author,
    invocationId,
    timestamp,
    partial: partial === true,
    artifactDeltaJson: hasArtifacts ? Buffer.from(JSON.stringify(actions.artifactDelta)) : new Uint8Array(0),
    ...(json && { json }),
  };
}
