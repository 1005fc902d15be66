import { MeshError } from '@agentmesh/lib/rpc';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { planRollback } from '../history/plan-rollback.ts';
import { optionalText } from '../json-bytes.ts';
import { type Append, type AttemptOutcome, appendAndEndAttempt } from '../store/appends.ts';
import { untilCurrent } from '../until-current.ts';
import { hintGranted } from './granted-hint.ts';
import { hintEnded, runEndedFact } from './run-ended.ts';
import { storable, storableJson, storableUsage } from './storable.ts';

/** The end of an attempt, as its executor reports it. */
export interface AttemptEnding {
  outcome: AttemptEnd_Outcome;
  errorCode: string;
  errorMessage: string;
  model?: string;
  usageJson?: Uint8Array;
  waitingForJson?: Uint8Array;
  agentJson?: Uint8Array;
  answerSeconds?: number;
  /** The turn of the run is rewound. */
  rewinds?: boolean;
  /** See AttemptEnd. */
  asksByMail?: boolean;
  /** See AttemptEnd. */
  isPlain?: boolean;
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
 * undefined when the attempt does not hold the turn or the session is not at `lastSeq`. With `rewinds`, the same transaction rewinds the turn of the
 * run, unless a limit forbids it. Rejects while the artifacts service cannot be reached that has to restore artifacts; then nothing is stored.
 */
export function endAttempt(context: Context, append: Append, ending: AttemptEnding): Promise<number | undefined> {
  return ending.rewinds === true ? rewindAndEnd(context, append, ending) : storeEnd(context, append, ending);
}

async function rewindAndEnd(context: Context, append: Append, ending: AttemptEnding): Promise<number | undefined> {
  try {
    return await storeEnd(context, { ...append, ...(await planRollback(context, append)) }, ending);
  } catch (error) {
    if (!(error instanceof MeshError && error.code === 'resource_exhausted')) throw error;
    context.log.warn({ err: error, invocationId: append.invocationId }, 'the turn of a run could not be rewound');
    return storeEnd(context, append, withoutRewind(ending));
  }
}

/** The end of a run whose turn cannot be rewound. */
export function withoutRewind(ending: AttemptEnding): AttemptEnding {
  const errorMessage = 'Another run of the session took the place of this one. Its turn could not be rewound.';
  return { ...ending, errorMessage, rewinds: false };
}

async function storeEnd(context: Context, append: Append, ending: AttemptEnding): Promise<number | undefined> {
  const status = statuses[ending.outcome];
  if (status === undefined) throw invalid('An attempt ends as completed, failed, cancelled, interrupted or waiting.');
  const { accountId, invocationId, sessionPk } = append;
  const asksByMail = status === 'waiting' && ending.asksByMail === true;
  const ended = { accountId, invocationId, sessionPk, outcome: ending.outcome, asksByMail };
  const told = runEndedFact(ended);
  const end = { status, ...toColumns(ending), ...told, asksByMail, isPlain: ending.isPlain === true && !asksByMail };
  const result = await untilCurrent(() => appendAndEndAttempt(context.db, append, end));
  if (result === 'refused') return undefined;
  if (result.isTold) context.wakeOutbox();
  hintEnded(context, ended, told.fact);
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
    agentJson = nothing,
    answerSeconds = 0,
  } = ending;
  return {
    errorCode: storable(errorCode),
    errorMessage: storable(errorMessage),
    model: storable(model),
    usage: storableUsage(usageJson),
    waitingFor: optionalText(waitingForJson) ?? null,
    agent: storableJson(optionalText(agentJson) ?? null),
    answerSeconds: answerSeconds > 0 ? answerSeconds : null,
  };
}
