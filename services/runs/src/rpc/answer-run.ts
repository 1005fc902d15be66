import { checkAccountId, leavingOf } from '@agentmesh/lib/rpc';
import type { JsonObject, JsonValue } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { Context } from '../context.ts';
import { answerNotAwaited, runMissing, runNotWaiting } from '../errors.ts';
import { answerRun as answer, type FunctionAnswer } from '../execution/answers/answer-run.ts';
import type { Handlers } from './handlers.ts';

const timeoutMs = 5_000;

/** Goes on with a run that waits for function calls. */
export function answerRun(context: Context): Handlers['answerRun'] {
  return async ({ $typeName: _, functionResponsesJson, isBound, idempotencyKey, attempt, ...name }, call) => {
    const accountId = checkAccountId(name.accountId);
    const answers = readAnswers(functionResponsesJson);
    const { run } = await context.sessions.getRun(name, { timeoutMs });
    if (run === undefined) throw runMissing();
    if (attempt > 0 && attempt !== run.attempt) throw runNotWaiting(run.invocationId);
    return answer(context, { accountId, run, answers, isBound, idempotencyKey, left: leavingOf(call) });
  };
}

function readAnswers(json: Uint8Array): FunctionAnswer[] {
  const list = parseExactly(Buffer.from(json).toString()) as JsonValue;
  return (Array.isArray(list) ? list : []).map((entry) => {
    const { id, name, response } = entry as JsonObject;
    if (typeof id === 'string' && typeof name === 'string' && isMap(response)) return { id, name, response };
    throw answerNotAwaited('A function response has an id, a name and a response, which is an object.');
  });
}

function isMap(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
