import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import type { Problem } from '../../edge/errors/problem.ts';
import { type WaitingCall, waitingCalls } from '../road/waiting-calls.ts';
import { printCallId } from './call-ids.ts';
import { openAiProblem } from './openai-problem.ts';

/** A call that a run waits for, as clients see it. */
export interface ShownCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

export function shownCall(
  { sessionId, invocationId }: Pick<LedgerRun, 'sessionId' | 'invocationId'>,
  { functionCallId, name, args = {} }: WaitingCall,
): ShownCall {
  const id = printCallId({ sessionId, invocationId, functionCallId, name });
  return { id, name, arguments: JSON.stringify(args) };
}

/** The calls that a run waits for; none when it does not wait. */
export function awaitedCalls(run: LedgerRun): ShownCall[] {
  return waitingCalls(run).map((call) => shownCall(run, call));
}

/** Errors of models that end an answer early. */
const limits: Readonly<Record<string, 'length' | 'content_filter'>> = {
  MAX_TOKENS: 'length',
  SAFETY: 'content_filter',
  PROHIBITED_CONTENT: 'content_filter',
  RECITATION: 'content_filter',
};

/** OpenAI's word for the end of an answer; undefined for a run that failed or was stopped. */
export function finishReasonOf({ status, errorCode }: LedgerRun) {
  if (status === RunStatus.COMPLETED) return 'stop';
  if (status === RunStatus.WAITING) return 'tool_calls';
  return status === RunStatus.FAILED ? limits[errorCode] : undefined;
}

/** The text about a run that failed or was stopped. */
export function failureOf({ status, errorCode, errorMessage }: LedgerRun) {
  if (status === RunStatus.FAILED)
    return { code: errorCode || 'run_failed', message: errorMessage || 'The run failed.' };
  if (status === RunStatus.INTERRUPTED)
    return { code: 'run_interrupted', message: 'Another run of the session took the place of this one.' };
  return { code: 'run_cancelled', message: 'The run was cancelled.' };
}

/** The answer of a run that failed or was stopped. A client that repeated the request would start another run: the header tells OpenAI's not to. */
export function problemOfRun(run: LedgerRun): Problem {
  const { code, message } = failureOf(run);
  const status = run.status === RunStatus.FAILED ? 500 : 409;
  return openAiProblem({ status, body: { detail: message, code }, headers: { 'x-should-retry': 'false' } });
}

interface Counts {
  readonly promptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly cachedContentTokenCount?: number;
}

/** Tokens of all model calls of a run. */
export function usageOf({ usageJson }: LedgerRun) {
  const counts = (usageJson.length === 0 ? {} : JSON.parse(Buffer.from(usageJson).toString())) as Counts;
  const { promptTokenCount: input = 0, candidatesTokenCount = 0, thoughtsTokenCount: reasoning = 0 } = counts;
  const output = candidatesTokenCount + reasoning;
  return { input, output, total: input + output, reasoning, cached: counts.cachedContentTokenCount ?? 0 };
}
