import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { optionalText } from '../json-bytes.ts';
import { type Append, type AttemptOutcome, appendAndEndAttempt } from '../store/appends.ts';
import { untilCurrent } from '../until-current.ts';
import { hintGranted } from './granted-hint.ts';
import { hintEnded, runEndedFact } from './run-ended.ts';

/** The end of an attempt, as its executor reports it. */
export interface AttemptEnding {
  outcome: AttemptEnd_Outcome;
  errorCode: string;
  errorMessage: string;
  model?: string;
  usageJson?: Uint8Array;
  waitingForJson?: Uint8Array;
  answerSeconds?: number;
}

const statuses: Partial<Record<AttemptEnd_Outcome, AttemptOutcome['status']>> = {
  [AttemptEnd_Outcome.COMPLETED]: 'completed',
  [AttemptEnd_Outcome.FAILED]: 'failed',
  [AttemptEnd_Outcome.CANCELLED]: 'cancelled',
  [AttemptEnd_Outcome.WAITING]: 'waiting',
  [AttemptEnd_Outcome.INTERRUPTED]: 'interrupted',
};

/**
 * Appends events and ends the attempt in one transaction, and tells the owner of the run that gets the turn. Returns the new last sequence;
 * undefined when the attempt does not hold the turn or the session is not at `lastSeq`.
 */
export async function endAttempt(
  context: Context,
  append: Append & { accountId: string },
  ending: AttemptEnding,
): Promise<number | undefined> {
  const status = statuses[ending.outcome];
  if (status === undefined) throw invalid('An attempt ends as completed, failed, cancelled, interrupted or waiting.');
  const { accountId, invocationId, sessionPk } = append;
  const ended = { accountId, invocationId, sessionPk, outcome: ending.outcome };
  const end = { status, ...toColumns(ending), ...runEndedFact(ended) };
  const result = await untilCurrent(async () => {
    const answer = await appendAndEndAttempt(context.db, append, end);
    return answer === 'moved' ? undefined : answer;
  });
  if (result === 'refused') return undefined;
  if (result.isTold) context.wakeOutbox();
  hintEnded(context, ended);
  if (result.granted !== undefined) hintGranted(context, accountId, result.granted);
  return result.lastSeq;
}

const nothing = new Uint8Array(0);

function toColumns(ending: AttemptEnding) {
  const {
    errorCode,
    errorMessage,
    model = '',
    usageJson = nothing,
    waitingForJson = nothing,
    answerSeconds = 0,
  } = ending;
  return {
    errorCode: storable(errorCode),
    errorMessage: storable(errorMessage),
    model: storable(model),
    usage: optionalText(usageJson) ?? null,
    waitingFor: optionalText(waitingForJson) ?? null,
    answerSeconds: answerSeconds > 0 ? answerSeconds : null,
  };
}

/** PostgreSQL text cannot contain NUL, so it is replaced here. The stored event keeps the text unchanged. */
function storable(text: string): string | null {
  return text.replaceAll('\0', '\ufffd') || null;
}
