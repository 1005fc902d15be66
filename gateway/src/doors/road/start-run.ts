import { CallUntil } from '@agentmesh/lib/rpc';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import type { Context } from '../../context.ts';
import { markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { runKeyHours } from '../../edge/idempotency/run-key.ts';
import { encodeJson, encodeMap } from '../../edge/json/json-bytes.ts';
import type { Content } from '../../edge/records/content.ts';
import { askElsewhere } from '../../edge/streams/ask-elsewhere.ts';
import { headerText, invocationHeader } from '../../edge/streams/invocation-header.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';

/** A message that a door brings to an app. */
interface DoorMessage {
  readonly appName: string;
  readonly userId: string;
  /** The session is created when there is none. */
  readonly sessionId: string;
  readonly content: Static<typeof Content>;
  /** Whether those who watch get partial events too. */
  readonly streaming: boolean;
  /** Id of the run, where the door chooses it. */
  readonly invocationId?: string;
  /** Merged into `customMetadata` of every event. */
  readonly customMetadata?: Record<string, unknown>;
  /** Stored with the message. */
  readonly stateDelta?: Record<string, unknown>;
  /** Unique in the account; a repeated message with it returns the first one's run. Empty for none. */
  readonly idempotencyKey?: string;
}

/** A run of the ledger, as `watchRun` wants it. */
export interface DoorRun {
  readonly accountId: string;
  readonly appName: string;
  readonly userId: string;
  readonly sessionId: string;
  readonly invocationId: string;
}

/** A run that a message has started or gone on with. */
export interface StartedRun extends DoorRun {
  /** An earlier message with the same idempotency key has started it. */
  readonly already: boolean;
  /** Sequence of the event behind which the effects of the message are; 0 for the beginning. */
  readonly acceptedSeq: number;
}

const unaryMs = 30_000;

/**
 * Starts a run on the one road that all runs take, and returns when it is stored. It goes on whatever the client does. The answer gets `X-Invocation-Id`. The
 * route has the hooks `arriving.enter` and `arriving.takeTurn`. Fails with the errors of RunsService.StartRun.
 */
export async function startRun(
  { runs, arriving }: Pick<Context, 'runs' | 'arriving'>,
  { request, reply }: { readonly request: FastifyRequest; readonly reply: FastifyReply },
  message: DoorMessage,
): Promise<StartedRun> {
  const { accountId, grant } = request.identity;
  const { appName, userId, sessionId, content, streaming, customMetadata, stateDelta } = message;
  const asked = {
    session: { accountId, appName, userId, sessionId },
    createsSession: true,
    messageJson: encodeJson({ ...content, role: 'user' }),
    customMetadataJson: encodeMap(customMetadata),
    stateDeltaJson: encodeMap(stateDelta),
    invocationId: message.invocationId ?? '',
    idempotencyKey: message.idempotencyKey ?? '',
    idempotencyKeyHours: runKeyHours,
    isBound: grant?.userId !== undefined,
    streaming,
  };
  const reading = readingFor(reply.raw);
  const call = new CallUntil(reading, { timeoutMs: unaryMs });
  const started = await askElsewhere(() => runs.startRun(asked, call), reading);
  const { invocationId, already, acceptedSeq } = started;
  arriving.leave(request);
  reply.header(invocationHeader, headerText(invocationId));
  markReplayed(reply, started);
  return { accountId, appName, userId, sessionId, invocationId, already, acceptedSeq };
}
