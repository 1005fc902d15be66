import { randomUUID } from 'node:crypto';
import { type Message, Role, type SendMessageRequest, type StreamResponse } from '@a2a-js/sdk';
import {
  PushNotificationNotSupportedError,
  RequestMalformedError,
  TaskNotFoundError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import { uuidOf } from '@agentmesh/lib/idempotency';
import { MeshError } from '@agentmesh/lib/rpc';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type Context, unary } from '../../context.ts';
import { forgetBody } from '../../edge/bodies/receive-body.ts';
import { keyedCall, leavableCall } from '../../edge/idempotency/keyed-call.ts';
import { doorKeyOf } from '../../edge/idempotency/run-key.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { namesOfCalls } from '../road/earlier-answer.ts';
import { endUserOf } from '../road/end-user.ts';
import { type DoorRun, startRun } from '../road/start-run.ts';
import { type WaitingCall, waitingCalls } from '../road/waiting-calls.ts';
import { type MeshPart, toMeshPart } from './parts.ts';
import { isGoing, readTask } from './read-task.ts';
import { TaskTelling } from './task-telling.ts';
import { answersIn } from './waiting.ts';

/** A call of the protocol to an app. */
export interface A2aCall {
  readonly context: Context;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly appName: string;
  /** Aborts when the client has left. */
  readonly signal: AbortSignal;
}

/** A task that has its message. */
export interface Begun {
  readonly run: DoorRun;
  readonly telling: TaskTelling;
  /** The message was no answer to what the task waits for, which is asked again. */
  readonly askedAgain?: StreamResponse;
}

interface Sent {
  readonly message: Message;
  readonly parts: readonly MeshPart[];
  readonly user: string | undefined;
  readonly streaming: boolean;
}

/** Brings a message to a new task, or to the one that it names. It is stored when this returns. */
export async function beginTask(call: A2aCall, params: SendMessageRequest, streaming: boolean): Promise<Begun> {
  const { message, configuration, metadata } = params;
  if (message === undefined) throw new RequestMalformedError('params.message: Field required');
  if (message.role !== Role.ROLE_USER)
    throw new RequestMalformedError('params.message.role: Only messages of a user are taken');
  if (configuration?.taskPushNotificationConfig !== undefined) throw new PushNotificationNotSupportedError();
  const user = (message.metadata?.['user'] ?? metadata?.['user']) as string | undefined;
  const sent = { message, parts: message.parts.flatMap(toMeshPart), user, streaming };
  if (message.taskId === '') return newTask(call, sent);
  return goOn(call, sent, await findRun(call, message.taskId, { user, contextId: message.contextId }));
}

interface PlaceOfTask {
  readonly user?: string | undefined;
  /** Empty for any. */
  readonly contextId?: string;
}

/** The run of a task, the newest of those that have its id. Refuses with the protocol's error one of another app, account, user or context. */
export async function findRun(
  call: A2aCall,
  taskId: string,
  { user, contextId = '' }: PlaceOfTask = {},
): Promise<LedgerRun> {
  const { identity } = call.request;
  const isNamed = identity.grant?.userId !== undefined || user !== undefined;
  const name = {
    accountId: identity.accountId,
    appName: call.appName,
    userId: isNamed ? endUserOf(identity, user) : '',
    sessionId: contextId,
    invocationId: taskId,
  };
  const { run } = await call.context.sessions.getRun(name, unary).catch((error: unknown) => {
    if (!(error instanceof MeshError && error.code === 'not_found')) throw error;
    const place = contextId === '' ? '' : ` in the context ${JSON.stringify(contextId)}`;
    throw new TaskNotFoundError(`There is no task ${JSON.stringify(taskId)}${place}.`);
  });
  if (run === undefined) throw new MeshError('internal', 'run_missing', 'The sessions service answered no run.');
  return run;
}

export function doorRunOf({ request }: A2aCall, record: LedgerRun): DoorRun {
  const { appName, userId, sessionId, invocationId } = record;
  return { accountId: request.identity.accountId, appName, userId, sessionId, invocationId };
}

async function newTask(call: A2aCall, { message, parts, user, streaming }: Sent): Promise<Begun> {
  const { context, request, reply, appName } = call;
  const key = keyOf(request);
  // A message that is repeated without a context means the one that the first has made.
  const made = () => (key === '' ? randomUUID() : uuidOf('a2a', key));
  const run = await startRun(
    context,
    { request, reply },
    {
      appName,
      userId: endUserOf(request.identity, user),
      sessionId: message.contextId || made(),
      content: { parts: [...parts] },
      streaming,
      idempotencyKey: key,
    },
  );
  forgetParams(request);
  const telling = new TaskTelling(run);
  return { run, telling };
}

/** Answers what the task waits for, or tells a task that is at work something more. */
async function goOn(call: A2aCall, { parts }: Sent, record: LedgerRun): Promise<Begun> {
  const { context, request, reply, signal } = call;
  const run = doorRunOf(call, record);
  const isBound = request.identity.grant?.userId !== undefined;
  const answers =
    record.status === RunStatus.WAITING || hasAnswers(parts)
      ? answersIn(parts, await callsToAnswer(call, { parts, record }))
      : [];
  if (answers?.length === 0 && !isGoing(record)) throw isOver();
  const telling = await readTask(context, { run, record, signal });
  if (answers === undefined) {
    context.arriving.leave(request);
    return { run, telling, askedAgain: telling.askAgain(record) };
  }
  const stored =
    answers.length > 0
      ? context.runs.answerRun(
          { ...run, functionResponsesJson: encodeJson(answers), isBound, idempotencyKey: keyOf(request) },
          leavableCall(reply),
        )
      : context.runs.addRunMessage(
          { ...run, messageJson: encodeJson({ role: 'user', parts }), isBound },
          keyedCall(request, reply),
        );
  await stored.catch((error: unknown) => {
    throw error instanceof MeshError && endings.has(error.reason) ? isOver() : error;
  });
  context.arriving.leave(request);
  forgetParams(request);
  if (answers.length > 0) telling.resume();
  return { run, telling };
}

/** The calls that the task waits for, or those that an earlier message with the key has answered. */
async function callsToAnswer(
  call: A2aCall,
  { parts, record }: Pick<Sent, 'parts'> & { readonly record: LedgerRun },
): Promise<WaitingCall[]> {
  const ids = parts.map(({ functionResponse }) => functionResponse?.['id']);
  const callIds = new Set(ids.filter((id) => typeof id === 'string'));
  if (callIds.size === 0) return waitingCalls(record);
  const sought = { record, callIds, isKeyed: keyOf(call.request) !== '', signal: call.signal };
  const names = await namesOfCalls(call.context, doorRunOf(call, record), sought);
  return [...names].map(([functionCallId, name]) => ({ functionCallId, name }));
}

/** Gives back the room of a message that is stored. The id of the call is still needed. */
function forgetParams(request: FastifyRequest): void {
  const { id } = request.body as { readonly id?: unknown };
  forgetBody(request);
  request.body = { id };
}

/** Reasons with which a run refuses a message because it has meanwhile ended, or was answered. */
const endings = new Set(['run_over', 'run_not_waiting']);

function isOver(): UnsupportedOperationError {
  return new UnsupportedOperationError(
    'The task takes no message any more. A message with its contextId, and without a taskId, goes on with the conversation.',
  );
}

function hasAnswers(parts: readonly MeshPart[]): boolean {
  return parts.some(({ functionResponse }) => functionResponse !== undefined);
}

/** Empty for none. */
function keyOf({ headers, identity }: FastifyRequest): string {
  const key = headers['idempotency-key'];
  return typeof key === 'string' ? doorKeyOf('a2a', { headers: { 'idempotency-key': key }, identity }) : '';
}
