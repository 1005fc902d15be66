import {
  A2A_ERROR_CODE,
  A2AError,
  toJsonRpcError,
  RequestMalformedError,
  VersionNotSupportedError,
} from '@a2a-js/sdk/errors';
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server';
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server';
import type { FastifyReply } from 'fastify';
import { invalidToken } from '../../edge/authentication/unauthorized.ts';
import { problemOf } from '../../edge/errors/problem.ts';
import { encodeJson, sendJson } from '../../edge/json/json-bytes.ts';
import { clientLeft } from '../../edge/streams/client-left.ts';
import { EventStream } from '../../edge/streams/event-stream.ts';
import { onceClosed } from '../../edge/streams/once-closed.ts';
import { a2aProblem } from './a2a-problem.ts';
import { faultOfCall, leaveOutNulls } from './rpc-call.ts';
import type { A2aCall } from './begin-task.ts';
import { createTaskHandler } from './task-handler.ts';

type CallOf = Omit<A2aCall, 'signal'>;

/** Requests without a version mean 0.3, as the protocol says. */
const legacyVersion = '0.3';
const versions = [legacyVersion, '1.0'];

/** Answers a call of the protocol, in the version that it names. Refusals of the mesh are thrown; those of the protocol are answers. */
export async function serveCall(call: CallOf): Promise<FastifyReply> {
  const { request, reply } = call;
  const left = new AbortController();
  if (reply.raw.destroyed) left.abort(clientLeft);
  onceClosed(reply.raw, () => left.abort(clientLeft));
  using _open = call.context.authentication.onRevocation(request.identity, () => left.abort(invalidToken()));
  return await answerCall({ ...call, signal: left.signal });
}

async function answerCall(call: A2aCall): Promise<FastifyReply> {
  const { request } = call;
  const asked = String(request.headers['a2a-version'] ?? legacyVersion);
  const version = versions.find((known) => asked === known || asked.startsWith(`${known}.`));
  const body = request.body as Record<string, unknown>;
  const fault = version === undefined ? unknownVersion(asked) : malformed(body);
  if (fault !== undefined) return refuse(call, fault);
  leaveOutNulls(body);
  const { handler, failure } = createTaskHandler(call);
  const Transport = version === legacyVersion ? LegacyJsonRpcTransportHandler : JsonRpcTransportHandler;
  const answer = await new Transport(handler).handle(body, new ServerCallContext({ requestedVersion: asked }));
  const thrown = failure();
  if (thrown !== undefined) throw thrown;
  if (isUnreadable(answer)) return refuse(call, new RequestMalformedError('params: These are no params of the method'));
  if (Symbol.asyncIterator in answer) return stream(call, answer);
  if (request.headers['a2a-version'] === undefined) adviseVersion(answer);
  return sendJson(call.reply, encodeJson(answer));
}

const methodNotFound = -32_601;

/** Names the header to a client of version 1.0 that has not sent it: its methods are unknown to 0.3. */
function adviseVersion(answer: object): void {
  if (!('error' in answer)) return;
  const error = answer.error as { readonly code: number; message: string };
  if (error.code !== methodNotFound) return;
  error.message += `. A call without the header A2A-Version means ${legacyVersion}; versions: ${versions.join(', ')}.`;
}

function unknownVersion(asked: string): A2AError {
  return new VersionNotSupportedError(`Version ${asked} is not supported. There are ${versions.join(' and ')}.`);
}

function malformed(body: unknown): A2AError | undefined {
  const fault = faultOfCall(body);
  return fault === undefined ? undefined : new RequestMalformedError(fault);
}

function refuse({ request, reply }: CallOf, error: unknown): FastifyReply {
  return sendJson(reply, encodeJson(errorOf(request.body, toJsonRpcError(error))));
}

/** True for a failure of the library, not of the mesh: it could not read the params, e.g. a file part without a file. */
function isUnreadable(answer: object): boolean {
  return 'error' in answer && (answer.error as { readonly code: number }).code === A2A_ERROR_CODE.INTERNAL_ERROR;
}

interface LegacyStatus {
  readonly result?: { final?: boolean; readonly status?: { readonly state: string } };
}

/** In version 0.3 a question is the last piece of its stream, and ADK takes it for a question only then. The library tells so of ends alone. */
function endAtQuestion({ result }: LegacyStatus): void {
  if (result?.final === false && result.status?.state === 'input-required') result.final = true;
}

/** The id of a request may be missing, or of a type that no id has. */
function errorOf(body: unknown, error: object) {
  const { id } = (body ?? {}) as { readonly id?: unknown };
  return { jsonrpc: '2.0', id: typeof id === 'string' || typeof id === 'number' ? id : null, error };
}

async function stream(call: CallOf, answers: AsyncGenerator<object, void>): Promise<FastifyReply> {
  const { context, reply } = call;
  let next: IteratorResult<object, void>;
  try {
    next = await answers.next();
  } catch (error) {
    if (error instanceof A2AError) return refuse(call, error);
    throw error;
  }
  const heartbeatMs = context.config.GATEWAY_HEARTBEAT_SECONDS * 1000;
  const events = new EventStream(reply, { heartbeatMs, onGone: () => undefined });
  try {
    for (; next.done !== true; next = await answers.next()) {
      endAtQuestion(next.value);
      await events.send(encodeJson(next.value), false);
    }
  } catch (error) {
    if (!events.isGone) await events.send(encodeJson(brokenBy(error, call)), false);
  } finally {
    await answers.return();
    events.end();
  }
  return reply;
}

/** The last piece of a stream that cannot go on. The run does. */
function brokenBy(cause: unknown, { context, request }: CallOf): object {
  const problem = problemOf(cause);
  if (problem === undefined) context.log.error({ err: cause, requestId: request.id }, 'the stream of a task broke');
  const { body } = a2aProblem(problem ?? { status: 500, body: { detail: 'Internal Server Error' } });
  return errorOf(request.body, (body as { readonly error: object }).error);
}
