import { wholeNumberFrom } from '@agentmesh/lib/service';
import type { JsonObject } from '@agentmesh/proto/event';
import { EnvError, makeValidator } from 'envalid';

/** A year. */
const longestWait = 31_536_000;

const jsonObject = makeValidator<JsonObject>((input) => {
  const value = parse(input);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as JsonObject;
  throw new EnvError('must be a JSON object');
});

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Environment variables; docs/settings.md explains each. */
export const answerSettings = {
  RUNS_ANSWER_TIMEOUT_SECONDS: wholeNumberFrom(
    0,
    longestWait,
  )({
    default: 0,
    desc: 'how long a run waits for an answer before it gets the default one, unless its app says otherwise; 0: for ever',
  }),
  RUNS_DEFAULT_ANSWER: jsonObject({
    default: { error: 'No answer came in time.' },
    desc: 'the default answer, unless the app of the run says otherwise',
  }),
};

/** Time-out and default answer of runs that wait for an answer. */
export interface AnswerPolicy {
  /** 0: it waits for ever. */
  readonly timeoutSeconds: number;
  /** The response to each call that the run waits for. */
  readonly defaultAnswer: JsonObject;
}

/** The policy of apps that say nothing. */
export function readAnswerPolicy(settings: {
  readonly RUNS_ANSWER_TIMEOUT_SECONDS: number;
  readonly RUNS_DEFAULT_ANSWER: JsonObject;
}): AnswerPolicy {
  return { timeoutSeconds: settings.RUNS_ANSWER_TIMEOUT_SECONDS, defaultAnswer: settings.RUNS_DEFAULT_ANSWER };
}
