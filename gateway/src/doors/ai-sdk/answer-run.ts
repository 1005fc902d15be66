import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import { RunStatus } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Static } from 'typebox';
import { type Context, unary } from '../../context.ts';
import { HttpError } from '../../edge/errors/request-error.ts';
import type { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { leavableCall, markReplayed } from '../../edge/idempotency/keyed-call.ts';
import { answerKeyOf } from '../../edge/idempotency/run-key.ts';
import { encodeJson } from '../../edge/json/json-bytes.ts';
import { readingFor } from '../../edge/streams/reading-for.ts';
import { type RunPlace, watchRun } from '../road/watch-run.ts';
import type { Chat } from './chat.ts';
import type { Answer } from './from-ui-message.ts';
import type { Shown } from './show-run.ts';
import { createChunker } from './to-chunks.ts';

interface Exchange {
  readonly request: FastifyRequest<{ Headers: Static<typeof IdempotencyKey> }>;
  readonly reply: FastifyReply;
}

interface WaitedFor {
  readonly functionCallId: string;
  readonly name: string;
}

/** Answers the run of a chat that waits. The events behind the place where it waited are the rest of its message. Throws 409 when no run waits for any of the answers. */
export async function answerRun(context: Context, { request, reply }: Exchange, asked: Asked): Promise<Shown> {
  const { chat, answers } = asked;
  const found = await waitingRun(context, asked);
  if (found === undefined) throw new HttpError(409, 'The chat waits for no answer any more.');
  const run = { ...chat, invocationId: found.run.invocationId };
  const before = await readToEnd(context, run, reply);
  const functionResponses = answers.flatMap(({ id, response }) => {
    const name = found.calls.find(({ functionCallId }) => functionCallId === id)?.name;
    return name === undefined ? [] : [{ id, name, response }];
  });
  const answer = {
    ...run,
    functionResponsesJson: encodeJson(functionResponses),
    isBound: request.identity.grant?.userId !== undefined,
    attempt: found.run.attempt,
    idempotencyKey: answerKeyOf(request),
  };
  markReplayed(reply, await context.runs.answerRun(answer, leavableCall(reply)));
  context.arriving.leave(request);
  return { run, ...before };
}

interface Asked {
  readonly chat: Chat;
  readonly answers: readonly Answer[];
}

async function waitingRun({ sessions }: Context, { chat, answers }: Asked) {
  const ids = new Set(answers.map(({ id }) => id));
  const { runs } = await sessions.listRuns({ ...chat, statuses: [RunStatus.WAITING] }, unary);
  const waiting = runs.map((run) => ({ run, calls: callsOf(run) }));
  return waiting.find(({ calls }) => calls.some(({ functionCallId }) => ids.has(functionCallId)));
}

function callsOf({ waitingForJson }: LedgerRun): readonly WaitedFor[] {
  return waitingForJson.length === 0 ? [] : (JSON.parse(Buffer.from(waitingForJson).toString()) as WaitedFor[]);
}

/** Reads the events of a run that waits, which the client has already. */
async function readToEnd(context: Context, run: Shown['run'], reply: FastifyReply): Promise<Omit<Shown, 'run'>> {
  const chunker = createChunker();
  let from: RunPlace = { seq: 0, partial: 0 };
  for await (const told of watchRun(context, run, { signal: readingFor(reply.raw).signal })) {
    if ('end' in told) break;
    chunker.add(told.frame);
    from = told.frame;
  }
  return { from, chunker };
}
