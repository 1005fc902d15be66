import { isMeshError } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { replayedHeader } from '../../edge/idempotency/idempotency-key.ts';
import { headerText, invocationHeader } from '../../edge/streams/invocation-header.ts';
import { createHistory, type EarlierMessage } from '../road/create-history.ts';
import { type StartedRun, startRun } from '../road/start-run.ts';
import { answer, isAnswer } from './answer-run.ts';
import { invalidInput } from './invalid-input.ts';
import { changesOf, type State } from './page-state.ts';
import { type NewMessages, readMessages } from './read-messages.ts';
import type { Message } from './run-input.ts';
import { findRun, readThread, type ThreadKey } from './thread.ts';
import { type Exchange, keyOf, metadataOf, type PageRequest, type Turn } from './turn.ts';
import { partsOf, textOf } from './user-message.ts';

/** A run of a page that is stored. */
export interface BegunRun {
  readonly run: StartedRun;
  /** State of the session at its begin. */
  readonly state: State;
  /** Calls that tool messages of the page have answered. */
  readonly answered: ReadonlySet<string>;
}

const noState: State = new Map();

/** Starts the run that the input of a page asks for, or goes on with the one that waits for its answers. */
export async function beginRun(context: Context, exchange: Exchange, session: ThreadKey): Promise<BegunRun> {
  const { request } = exchange;
  const thread = await readThread(context, session);
  const news = readMessages(request.body, thread?.lastId);
  const answered = new Set(news.answers.map(({ toolCallId }) => toolCallId ?? ''));
  const turn = { session, thread, news, answered };
  const begin = (await isAnswer(context, request.body, turn)) ? answer : say;
  const run = await begin(context, exchange, turn).catch((error: unknown) => {
    throw isMeshError(error) && error.reason === 'idempotency_key_reused' && isByRunId(request) ? runIdUsed() : error;
  });
  return { ...run, answered };
}

async function say(context: Context, exchange: Exchange, { session, thread, news }: Turn) {
  const { body: input } = exchange.request;
  const named = { ...session, invocationId: input.runId };
  const state = thread?.state ?? noState;
  const earlier = await findRun(context, named);
  if (earlier !== undefined) return { run: attach(context, exchange, { ...named, ...earlier }, news), state };
  const stateDelta = changesOf(input, state);
  if (thread === undefined && news.earlier.length > 0)
    await createHistory(context, session, news.earlier.flatMap(toHistory));
  const run = await startRun(context, exchange, {
    ...named,
    content: { parts: [...news.parts] },
    streaming: true,
    stateDelta,
    idempotencyKey: keyOf(exchange.request, session),
    ...metadataOf(news),
  });
  return { run, state: new Map([...state, ...Object.entries(stateDelta)]) };
}

/** A repeated request gets the run of the first one. */
function attach(
  { arriving }: Context,
  { request, reply }: Exchange,
  { messageId, ...run }: ThreadKey & { readonly invocationId: string; readonly messageId: string | undefined },
  news: NewMessages,
): StartedRun {
  if (messageId === undefined || messageId !== news.messageId) throw runIdUsed();
  arriving.leave(request);
  reply.header(invocationHeader, headerText(run.invocationId)).header(replayedHeader, 'true');
  return { ...run, already: true, acceptedSeq: 0 };
}

function runIdUsed() {
  return invalidInput(['runId'], 'another run of the thread has this id');
}

const isByRunId = ({ headers }: PageRequest): boolean => headers['idempotency-key'] === undefined;

/** Messages of a conversation that began elsewhere, without calls of tools. */
function toHistory(message: Message, index: number): EarlierMessage[] {
  const { role, content } = message;
  if (role === 'user') return [{ role, parts: partsOf(content, ['messages', index, 'content']) }];
  const text = role === 'assistant' ? textOf(content) : '';
  return text === '' ? [] : [{ role: 'model', parts: [{ text }] }];
}
