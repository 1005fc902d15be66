import type { JsonObject } from '@agentmesh/proto/event';
import type { LedgerRun, OverdueRun } from '@agentmesh/proto/sessions/v1';
import { mostResponses } from '../check-message.ts';
import type { Running } from '../running.ts';
import { answerRun, type FunctionAnswer } from './answer-run.ts';
import { awaitedCalls } from './awaited-calls.ts';
import type { AnswerPolicy } from './settings.ts';

interface Context extends Running {
  readonly config: Running['config'] & { readonly answers: AnswerPolicy };
}

const limit = 32;
const timeoutMs = 5_000;

/**
 * Gives runs whose answer did not come in time the default answer. Each run is given to one process, and a run that is answered meanwhile
 * keeps that answer. A run that cannot go on now, because the app has mistakes or there is no room, is tried again after a minute.
 */
export async function answerOverdue(context: Context): Promise<void> {
  const { sessions, config, log } = context;
  const { runs } = await sessions.claimOverdueRuns({ limit, apps: [...config.apps] }, { timeoutMs });
  for (const overdue of runs) {
    const invocationId = overdue.run?.invocationId;
    await giveDefault(context, overdue).catch((err: unknown) =>
      log.warn({ err, invocationId }, 'a run could not be given its default answer'),
    );
  }
}

async function giveDefault(context: Context, { accountId, run }: OverdueRun): Promise<void> {
  if (run === undefined) return;
  const { settings } = await context.apps.find(accountId, run.appName);
  const response = settings.defaultAnswer ?? context.config.answers.defaultAnswer;
  await answerRun(context, { accountId, run, answers: defaultAnswers(run, response), isBound: run.isBound });
}

/** The answers of one message. The run waits again for calls that are more than it may answer. */
export function defaultAnswers(run: LedgerRun, response: JsonObject): FunctionAnswer[] {
  const calls = awaitedCalls(run).slice(0, mostResponses);
  return calls.map(({ functionCallId: id, name }) => ({ id, name, response }));
}
