import { CallUntil, MeshError } from '@agentmesh/lib/rpc';
import type { Stopping } from '@agentmesh/lib/wait';
import { multitaskOf } from '@agentmesh/proto/multitask';
import {
  type Continuation,
  ContinuationSchema,
  LeavePolicy,
  type RunResponse,
  type RunsService,
} from '@agentmesh/proto/runs/v1';
import type { Multitask } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import type { Identity } from '../edge/authentication/identity.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { encodeJson, encodeMap } from '../edge/json/json-bytes.ts';
import { clientLeft } from '../edge/streams/client-left.ts';
import { firstAnswer } from '../edge/streams/first-answer.ts';
import { askElsewhere, isAway } from '../edge/streams/ask-elsewhere.ts';
import { RunAnswers } from './watching/run-answers.ts';
import { runKeyHours } from '../edge/idempotency/run-key.ts';
import type { RunAgentRequest } from './run-record.ts';

/** A request to run an agent. */
export interface RunContent {
  readonly identity: Identity;
  readonly body: RunAgentRequest;
  /** App of a body that names none. */
  readonly defaultApp: string | undefined;
}

export interface RunOptions extends RunContent {
  readonly runs: Client<typeof RunsService>;
  /** Whether to send partial events too. */
  readonly streaming: boolean;
  /** Whether the run goes on or is cancelled when the client leaves before its end; absent: the app decides. */
  readonly onLeave?: LeavePolicy;
  readonly idempotencyKey?: string;
  /** Aborted when the client disconnects: a run that is not stored yet is dropped, and one that is accepted is left. */
  readonly reading: Stopping;
}

/** An accepted run. It is stored and will be executed; the gateway is its first viewer. */
export interface AcceptedRun {
  readonly invocationId: string;
  /** An earlier request with the same key has started it. */
  readonly already: boolean;
  readonly answers: AsyncIterable<RunResponse>;
  /** Goes on at another replica after the answer `moved`: then `answers` has what follows. */
  readonly follow: (place: Continuation) => Promise<void>;
  /** Stops watching: `answers` then fails unless it has ended. The run continues, unless the policy is to cancel it. */
  readonly leave: () => void;
}

/** A run that waits for its session is accepted immediately, so only a hanging service takes longer. */
const notAcceptedInTime = new MeshError('deadline_exceeded', 'deadline_exceeded', 'The run was not accepted in time.');

/** Starts a run and waits until it is accepted. Fails with the service's error, or after 30 s without an answer. */
export async function openRun(options: RunOptions): Promise<AcceptedRun> {
  const { runs, streaming, onLeave = LeavePolicy.UNSPECIFIED, idempotencyKey = '', reading } = options;
  const content = runContent(options);
  const leave = () => reading.abort(clientLeft);
  const asked = { ...content, streaming, onLeave, idempotencyKey, idempotencyKeyHours: runKeyHours };
  const ask = async (continues?: Continuation) => {
    const request = continues === undefined ? asked : { ...asked, continues };
    const answers = runs.run(request, new CallUntil(reading))[Symbol.asyncIterator]();
    return { answers, first: await firstAnswer(answers, reading, notAcceptedInTime) };
  };
  const begun = await askElsewhere(() => ask(), reading).catch((error: unknown) => {
    throw namingSession(error, options.body.sessionId);
  });
  const { first } = begun;
  if (first.done === true || first.value.kind.case !== 'accepted') {
    leave();
    throw new MeshError('internal', 'run_not_accepted', 'The run was not accepted.');
  }
  const goOn = async (place: Continuation) => (await askElsewhere(() => ask(place), reading, isAway)).answers;
  const { invocationId, acceptedSeq } = first.value.kind.value;
  const cancels = onLeave === LeavePolicy.CANCEL;
  const answers = new RunAnswers(begun.answers, () => goOn({ ...noPlace, invocationId, acceptedSeq, cancels }));
  return {
    ...first.value.kind.value,
    answers: { [Symbol.asyncIterator]: () => answers },
    follow: async (place) => answers.replace(await goOn(place)),
    leave,
  };
}

/** The fields of a request to the runs service. Throws 403 for an app name that is reserved. */
export function runContent({ identity, body, defaultApp }: RunContent) {
  const appName = body.appName || (defaultApp ?? '');
  refuseInternalApp(appName);
  const multitask: Multitask = multitaskOf(body.multitask);
  return {
    session: { accountId: identity.accountId, appName, userId: body.userId, sessionId: body.sessionId },
    messageJson: messageJson(body.newMessage),
    stateDeltaJson: encodeMap(body.stateDelta),
    customMetadataJson: encodeMap(body.customMetadata),
    invocationId: body.invocationId ?? '',
    isBound: identity.grant?.userId !== undefined,
    multitask,
  };
}

/** The reference names the missing session on the run routes. */
function namingSession(error: unknown, sessionId: string): unknown {
  if (!(error instanceof MeshError) || error.reason !== 'session_not_found') return error;
  return new MeshError('not_found', error.reason, `Session not found: ${sessionId}`, { cause: error });
}

/** App names that begin with `__` are reserved for ADK. */
export function refuseInternalApp(appName: string): void {
  if (!appName.startsWith('__')) return;
  throw new HttpError(403, 'Access to internal special agents is disabled in API server mode.');
}

/** The beginning of a run. */
const noPlace = create(ContinuationSchema);

const noMessage = new Uint8Array(0);

function messageJson(message: RunAgentRequest['newMessage']): Uint8Array {
  if (message === null || message === undefined) return noMessage;
  // A copy, because the message is kept as long as the run, and a small one would keep 64 KiB that Buffers share.
  return new Uint8Array(encodeJson({ ...message, role: message.role ?? 'user' }));
}
