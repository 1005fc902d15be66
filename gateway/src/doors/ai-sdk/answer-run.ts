import { isMeshError } from '@agentmesh/lib/rpc';
import type { LedgerRun, StoredEvent } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type Context, unary } from '../../context.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import type { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { leavableCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { answerKeyOf } from '../../edge/idempotency/run-key.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { earlierAnswer } from '../road/earlier-answer.ts';
import { eventsOfRun } from '../road/events-of-run.ts';
import { findWaiting, waitingNames } from '../road/waiting-calls.ts';
import type { Chat } from './chat.ts';
import type { MessageAnswers } from './from-ui-message.ts';
import type { Shown } from './show-run.ts';
import { createChunker } from './to-chunks.ts';

interface Exchange {
  readonly request: FastifyRequest<{ Headers: Static<typeof IdempotencyKey> }>;
  readonly reply: FastifyReply;
}

/** Calls of a run that the page answers. */
interface Answered {
  readonly run: LedgerRun;
  /** Names of the calls, by their ids. */
  readonly names: ReadonlyMap<string, string>;
  /** The events of the run before the answer, which the client has already. */
  readonly before: readonly StoredEvent[];
}

/** Answers the run of a chat that waits. The events behind the place where it waited are the rest of its message. Throws 409 when no run waits for any of the answers. */
export async function answerRun(context: Context, { request, reply }: Exchange, asked: Asked): Promise<Shown> {
  const { chat, answers } = asked;
  const idempotencyKey = answerKeyOf(request);
  const { signal } = readingFor(reply.raw);
  const waiting = await waitingRun(context, asked, signal);
  const found = waiting ?? (idempotencyKey === '' ? undefined : await answeredRun(context, asked, signal));
  if (found === undefined) throw new HttpError(409, 'The chat waits for no answer any more.');
  const run = { ...chat, invocationId: found.run.invocationId };
  const functionResponses = answers.flatMap(({ id, response }) => {
    const name = found.names.get(id);
    return name === undefined ? [] : [{ id, name, response }];
  });
  const answer = {
    ...run,
    functionResponsesJson: encodeJson(functionResponses),
    isBound: request.identity.grant?.userId !== undefined,
    attempt: waiting?.run.attempt ?? 0,
    idempotencyKey,
  };
  markReplayed(reply, await context.runs.answerRun(answer, leavableCall(reply)));
  context.arriving.leave(request);
  return { run, ...placeBehind(found.before) };
}

interface Asked extends MessageAnswers {
  readonly chat: Chat;
}

async function waitingRun(
  context: Context,
  { chat, answers }: Asked,
  signal: AbortSignal,
): Promise<Answered | undefined> {
  const run = await findWaiting(context, chat, new Set(answers.map(({ id }) => id)));
  if (run === undefined) return undefined;
  const before = await eventsOfRun(context, { ...chat, invocationId: run.invocationId }, { record: run, signal });
  return { run, names: waitingNames(run), before };
}

/** The run of the message, if it has had an answer to one of the calls: this may be the same request again. */
async function answeredRun(
  context: Context,
  { chat, runId, answers }: Asked,
  signal: AbortSignal,
): Promise<Answered | undefined> {
  const name = { ...chat, invocationId: runId };
  const { run } = await context.sessions.getRun(name, unary).catch((error: unknown) => {
    if (isMeshError(error) && error.code === 'not_found') return { run: undefined };
    throw error;
  });
  if (run === undefined) return undefined;
  const callIds = new Set(answers.map(({ id }) => id));
  const earlier = await earlierAnswer(context, name, { record: run, callIds, signal });
  return earlier && { run, ...earlier };
}

/** The place behind events that the client has already. */
function placeBehind(events: readonly StoredEvent[]): Omit<Shown, 'run'> {
  const chunker = createChunker();
  for (const event of events) chunker.add(event);
  return { from: { seq: events.at(-1)?.seq ?? 0, partial: 0 }, chunker };
}
