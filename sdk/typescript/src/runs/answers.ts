import { RunNotWaitingError } from '../errors.ts';
import type { Run, WaitingCall } from '../records.ts';

/** An answer to one call that a run waits for. `name` may be left out where the run's record is known. */
export interface NamedAnswer {
  /** `functionCallId` of an entry of `waitingFor`. */
  readonly id: string;
  readonly name?: string;
  readonly response: Readonly<Record<string, unknown>>;
}

/** The response to the only call that a run waits for, or answers that name their calls. */
export type Answers = NamedAnswer | Readonly<Record<string, unknown>> | readonly NamedAnswer[];

/** Throws RunNotWaitingError when the run waits for nothing, or for several calls and none is named. */
export function namedAnswers(answers: Answers, run: Run): NamedAnswer[] {
  const waiting = run.waitingFor ?? [];
  const given = isList(answers) ? answers : [answers];
  return given.map((answer) => {
    if (isNamed(answer)) return { ...answer, name: answer.name ?? nameOf(answer.id, waiting) };
    const [only, ...others] = waiting;
    if (only === undefined || others.length > 0) throw notOne(run, waiting.length);
    return { id: only.functionCallId, name: only.name, response: answer };
  });
}

/** Whether the answers say everything, so that the run's record is not needed. */
export function areComplete(answers: Answers): answers is NamedAnswer | readonly NamedAnswer[] {
  return (isList(answers) ? answers : [answers]).every((it) => isNamed(it) && it.name !== undefined);
}

function isList(answers: Answers): answers is readonly NamedAnswer[] {
  return Array.isArray(answers);
}

function isNamed(answer: NamedAnswer | Readonly<Record<string, unknown>>): answer is NamedAnswer {
  return typeof answer.id === 'string' && typeof answer.response === 'object' && answer.response !== null;
}

function nameOf(id: string, waiting: readonly WaitingCall[]): string {
  return waiting.find(({ functionCallId }) => functionCallId === id)?.name ?? '';
}

function notOne({ status, invocationId }: Run, count: number): RunNotWaitingError {
  const message =
    count === 0
      ? `The run ${invocationId} is ${status} and waits for no answer.`
      : `The run ${invocationId} waits for ${count} answers: name the call by its id.`;
  return new RunNotWaitingError({ status: 409, code: 'run_not_waiting', message });
}
