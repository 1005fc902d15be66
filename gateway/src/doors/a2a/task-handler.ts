import type {
  AgentCard,
  CancelTaskRequest,
  GetTaskRequest,
  SendMessageRequest,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
} from '@a2a-js/sdk';
import {
  A2AError,
  ExtendedAgentCardNotConfiguredError,
  PushNotificationNotSupportedError,
  TaskNotCancelableError,
  UnsupportedOperationError,
} from '@a2a-js/sdk/errors';
import type { A2ARequestHandler } from '@a2a-js/sdk/server';
import { MeshError } from '@agentmesh/lib/rpc';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import { unary } from '../../context.ts';
import { watchRun } from '../road/watch-run.ts';
import { type A2aCall, type Begun, beginTask, doorRunOf, findRun } from './begin-task.ts';
import { isGoing, readTask, withHistory } from './read-task.ts';
import { TaskTelling } from './task-telling.ts';

/** How long the answer to a cancellation waits for the end: an executor that does not end the run has 3 s. */
const cancelMs = 5_000;

/** Only whether it streams is read of it. */
const card = { capabilities: { streaming: true } } as AgentCard;

/** Serves one call of the protocol. `failure` is what the call failed with that is not an error of the protocol. */
export function createTaskHandler(call: A2aCall): {
  readonly handler: A2ARequestHandler;
  readonly failure: () => Error | undefined;
} {
  let failed: Error | undefined;
  const keeping =
    <Params, Result>(serve: (call: A2aCall, params: Params) => Promise<Result>) =>
    async (params: Params): Promise<Result> => {
      try {
        return await serve(call, params);
      } catch (error) {
        if (!(error instanceof A2AError)) failed = error as Error;
        throw error;
      }
    };
  const noPushes = () => Promise.reject(new PushNotificationNotSupportedError());
  const handler: A2ARequestHandler = {
    getAgentCard: () => Promise.resolve(card),
    getAuthenticatedExtendedAgentCard: () => Promise.reject(new ExtendedAgentCardNotConfiguredError()),
    sendMessage: keeping(sendMessage),
    sendMessageStream: (params) => streamMessage(call, params),
    getTask: keeping(getTask),
    cancelTask: keeping(cancelTask),
    resubscribe: (params) => subscribe(call, params),
    listTasks: () => Promise.reject(new UnsupportedOperationError('Tasks are not listed here. GET /runs lists runs.')),
    createTaskPushNotificationConfig: noPushes,
    getTaskPushNotificationConfig: noPushes,
    listTaskPushNotificationConfigs: noPushes,
    deleteTaskPushNotificationConfig: noPushes,
  };
  return { handler, failure: () => failed };
}

async function sendMessage(call: A2aCall, params: SendMessageRequest): Promise<Task> {
  const { returnImmediately = false, historyLength } = params.configuration ?? {};
  const begun = await beginTask(call, params, returnImmediately);
  const { telling, askedAgain } = begun;
  if (returnImmediately) return withHistory(firstTask(begun, params), historyLength);
  if (askedAgain === undefined) await toEnd(call, begun);
  return withHistory(telling.task, historyLength);
}

/** A task whose end this process does not live to see is answered as it is: the client asks for it again. */
async function toEnd(call: A2aCall, begun: Begun): Promise<void> {
  try {
    for await (const _piece of follow(call, begun));
  } catch (error) {
    if (!(error instanceof MeshError && error.reason === 'runs_draining')) throw error;
  }
}

async function* streamMessage(call: A2aCall, params: SendMessageRequest): AsyncGenerator<StreamResponse, void> {
  const begun = await beginTask(call, params, true);
  yield taskPiece(firstTask(begun, params));
  if (begun.askedAgain === undefined) yield* follow(call, begun);
  else yield begun.askedAgain;
}

/** The task as it begins. Its history has the message before it is stored as an event. */
function firstTask({ telling }: Begun, { message }: SendMessageRequest): Task {
  const { task } = telling;
  if (message === undefined || task.history.length > 0) return { ...task };
  return { ...task, history: [{ ...message, taskId: task.id, contextId: task.contextId }] };
}

async function* follow({ context, signal }: A2aCall, { run, telling }: Begun): AsyncGenerator<StreamResponse, void> {
  for await (const told of watchRun(context, run, { from: telling.place, signal })) yield* telling.take(told);
  // A client that has left, or may read no longer, gets no answer that looks like a whole one.
  signal.throwIfAborted();
}

async function getTask(call: A2aCall, { id, historyLength }: GetTaskRequest): Promise<Task> {
  const { context, request, signal } = call;
  context.arriving.leave(request);
  const record = await findRun(call, id);
  const { task } = await readTask(context, { run: doorRunOf(call, record), record, signal });
  return withHistory(task, historyLength);
}

async function cancelTask(call: A2aCall, { id }: CancelTaskRequest): Promise<Task> {
  const { context, request, signal } = call;
  context.arriving.leave(request);
  const record = await findRun(call, id);
  if (!isGoing(record) && record.status !== RunStatus.WAITING)
    throw new TaskNotCancelableError(`The task ${JSON.stringify(id)} is over.`);
  const run = doorRunOf(call, record);
  await context.sessions.cancelRun(run, unary);
  const telling = new TaskTelling(run);
  const until = AbortSignal.any([signal, AbortSignal.timeout(cancelMs)]);
  for await (const told of watchRun(context, run, { signal: until })) telling.take(told);
  return telling.task;
}

/** A task that goes on is told from its beginning; one that is over, or waits, is told as a whole. */
async function* subscribe(call: A2aCall, { id }: SubscribeToTaskRequest): AsyncGenerator<StreamResponse, void> {
  const { context, request, signal } = call;
  context.arriving.leave(request);
  const record = await findRun(call, id);
  const run = doorRunOf(call, record);
  if (!isGoing(record)) {
    yield taskPiece((await readTask(context, { run, record, signal })).task);
    return;
  }
  const telling = new TaskTelling(run, record.status);
  yield taskPiece({ ...telling.task });
  yield* follow(call, { run, telling });
}

function taskPiece(task: Task): StreamResponse {
  return { payload: { $case: 'task', value: task } };
}
