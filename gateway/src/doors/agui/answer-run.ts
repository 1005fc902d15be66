import { keyedHeaders } from '@agentmesh/lib/idempotency';
import { CallUntil } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { startRun } from '../road/start-run.ts';
import { findWaiting } from '../road/waiting-calls.ts';
import { answerParts } from './answers.ts';
import type { RunAgentInput } from './run-input.ts';
import { type Exchange, keyOf, metadataOf, type Turn } from './turn.ts';

/** Tool messages that stand before a new message of the user may have been given before: they count while a run waits for them. */
export async function isAnswer(context: Context, { resume }: RunAgentInput, { session, thread, news, answered }: Turn) {
  if ((resume ?? []).length > 0 || news.parts.length === 0) return true;
  return answered.size > 0 && thread !== undefined && (await findWaiting(context, session, answered)) !== undefined;
}

/** State is not taken with answers: they change only what waits for them. */
export async function answer(context: Context, exchange: Exchange, { session, thread, news }: Turn) {
  const { body: input } = exchange.request;
  if (thread === undefined) throw new HttpError(404, `Session not found: ${input.threadId}`);
  const parts = await answerParts(context, session, { input, answers: news.answers });
  if (news.parts.length > 0) await addMessage(context, exchange, { session, news, calls: parts });
  const run = await startRun(context, exchange, {
    ...session,
    content: { parts },
    streaming: true,
    idempotencyKey: keyOf(exchange.request, session),
    ...metadataOf(news),
  });
  return { run, state: thread.state };
}

interface Added extends Pick<Turn, 'session' | 'news'> {
  readonly calls: readonly { readonly functionResponse: { readonly id: string } }[];
}

/** The run keeps a message that the user has sent beside an answer, and seen behind the answer. Without a run that waits, the answer is one that was given before. */
async function addMessage(context: Context, { request, reply }: Exchange, { session, news, calls }: Added) {
  const waiting = await findWaiting(context, session, new Set(calls.map(({ functionResponse: { id } }) => id)));
  if (waiting === undefined) return;
  const { invocationId } = waiting;
  const message = { role: 'user', parts: news.parts };
  const headers = keyedHeaders({
    key: keyOf(request, session),
    route: 'agui message',
    content: [invocationId, message],
  });
  const isBound = request.identity.grant?.userId !== undefined;
  const added = { ...session, invocationId, messageJson: encodeJson(message), isBound };
  await context.runs.addRunMessage(added, new CallUntil(readingFor(reply.raw), { timeoutMs: 30_000, headers }));
}
