import type { LedgerRun } from '@agentmesh/proto/sessions/v1';
import type { FastifyReply } from 'fastify';
import type { Context } from '../../../context.ts';
import type { Problem } from '../../../edge/errors/problem.ts';
import { clientLeft } from '../../../edge/streams/client-left.ts';
import { readingFor } from '../../../edge/streams/reading-for.ts';
import type { AnsweredRun } from '../answer-run.ts';
import type { Http } from '../begin-run.ts';
import { finishReasonOf, problemOfRun, type ShownCall, usageOf } from '../run-end.ts';
import { streamFor } from '../run-stream.ts';
import { type AnswerEnd, tellRun } from '../tell-run.ts';
import { createWordsInTurn } from './words-in-turn.ts';

type Watched = Pick<AnsweredRun, 'run'> & Partial<AnsweredRun>;

/** A piece of the answer, or its end. */
type Word = { readonly [field in 'content' | 'reasoning_content']?: string };
type Words = { readonly word: Word } | { readonly end: AnswerEnd };

async function* wordsOf(context: Context, { run, answered }: Watched, signal: AbortSignal): AsyncGenerator<Words> {
  const lines = { text: createWordsInTurn(), thought: createWordsInTurn() };
  for await (const { pieces, end } of tellRun(context, run, { answered, signal })) {
    for (const piece of pieces) {
      if (!('words' in piece)) continue;
      const said = lines[piece.words](piece);
      if (said !== '') yield { word: piece.words === 'text' ? { content: said } : { reasoning_content: said } };
    }
    if (end !== undefined) yield { end };
  }
}

/** Answers when the run is over, or waits. */
export async function sendCompletion(context: Context, reply: FastifyReply, watched: Watched) {
  const reading = readingFor(reply.raw);
  let [content, reasoning] = ['', ''];
  for await (const told of wordsOf(context, watched, reading.signal)) {
    if ('end' in told) {
      const { status, body, headers = {} } = completionOf(told.end, { content, reasoning });
      return reply.code(status).headers(headers).send(body);
    }
    content += told.word.content ?? '';
    reasoning += told.word.reasoning_content ?? '';
  }
  throw clientLeft;
}

function completionOf(
  { run, calls: awaited }: AnswerEnd,
  said: { readonly content: string; readonly reasoning: string },
): Problem {
  const { content, reasoning } = said;
  const calls = awaited.map(toolCallOf);
  const finish = finishReasonOf(run);
  if (finish === undefined) return problemOfRun(run);
  const message = {
    role: 'assistant',
    content: content === '' && calls.length > 0 ? null : content,
    refusal: null,
    ...(reasoning !== '' && { reasoning_content: reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const choices = [{ index: 0, message, logprobs: null, finish_reason: finish }];
  const head = { id: idOf(run), object: 'chat.completion', created: now(), model: run.appName };
  return { status: 200, body: { ...head, choices, usage: chatUsage(run) } };
}

interface Streamed extends Watched {
  readonly withUsage: boolean;
}

/** Streams the answer while it is made. */
export async function streamCompletion(context: Context, http: Http, { withUsage, ...watched }: Streamed) {
  const { run } = watched;
  const head = { id: idOf(run), object: 'chat.completion.chunk', created: now(), model: run.appName };
  const usage = withUsage && { usage: null };
  await streamFor(context, http, async ({ send, signal }) => {
    const chunk = (delta: object, finish: string | null = null) =>
      send({ ...head, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }], ...usage });
    await chunk({ role: 'assistant', content: '' });
    for await (const told of wordsOf(context, watched, signal)) {
      if ('word' in told) {
        await chunk(told.word);
        continue;
      }
      const { run: ended, calls: awaited } = told.end;
      const finish = finishReasonOf(ended);
      if (finish === undefined) return send(problemOfRun(ended).body);
      const calls = awaited.map((call, index) => ({ index, ...toolCallOf(call) }));
      if (calls.length > 0) await chunk({ tool_calls: calls });
      await chunk({}, finish);
      if (withUsage) await send({ ...head, choices: [], usage: chatUsage(ended) });
      await send(done);
    }
  });
}

/** Behind the last chunk. */
const done = '[DONE]';

function toolCallOf({ id, ...called }: ShownCall) {
  return { id, type: 'function', function: called };
}

const idOf = ({ invocationId }: { readonly invocationId: string }) => `chatcmpl-${invocationId}`;
const now = () => Math.floor(Date.now() / 1000);

function chatUsage(run: LedgerRun) {
  const { input, output, total, reasoning, cached } = usageOf(run);
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: total,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  };
}
