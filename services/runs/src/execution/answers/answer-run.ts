import type { JsonObject } from '@agentmesh/proto/event';
import { type LedgerRun, Multitask, RunStatus, type SessionKey } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { answerNotAwaited, runNotWaiting } from '../../errors.ts';
import { acceptRun } from '../accept-run.ts';
import { awaitedCalls } from './awaited-calls.ts';

/** The answer to one function call. */
export interface FunctionAnswer {
  readonly id: string;
  readonly name: string;
  readonly response: JsonObject;
}

/** Answers to calls of one run. */
export interface RunAnswer {
  readonly accountId: string;
  /** The run as it was read. */
  readonly run: LedgerRun;
  readonly answers: readonly FunctionAnswer[];
  /** See RunRequest. */
  readonly isBound: boolean;
}

/**
 * Goes on with a run that waits, as its next attempt. Of several answers to one call, from any replica, one is accepted. Fails with aborted
 * `run_not_waiting`, invalid_argument `answer_not_awaited`, and as `acceptRun`.
 */
export async function answerRun(
  context: Context,
  { accountId, run, answers, isBound }: RunAnswer,
): Promise<SessionKey> {
  if (run.status !== RunStatus.WAITING) throw runNotWaiting(run.invocationId);
  checkAnswers(run, answers);
  const { appName, userId, sessionId } = run;
  const session = { accountId, appName, userId, sessionId } as SessionKey;
  await acceptRun(context, {
    session,
    messageJson: toMessage(answers),
    stateDeltaJson: nothing,
    customMetadataJson: run.customMetadataJson,
    invocationId: '',
    idempotencyKey: '',
    isBound: isBound || run.isBound,
    multitask: Multitask.ENQUEUE,
    streaming: run.streaming,
    waitingAttempt: run.attempt,
  });
  return session;
}

const nothing = new Uint8Array(0);

function checkAnswers(run: LedgerRun, answers: readonly FunctionAnswer[]): void {
  const names = new Map(awaitedCalls(run).map(({ functionCallId, name }) => [functionCallId, name]));
  const seen = new Set<string>();
  if (answers.length === 0) throw answerNotAwaited('An answer has at least one function response.');
  for (const { id, name } of answers) {
    const awaited = names.get(id);
    if (awaited === undefined) throw answerNotAwaited(`The run does not wait for the function call '${id}'.`);
    if (awaited !== name) throw answerNotAwaited(`The function call '${id}' is one of '${awaited}', not of '${name}'.`);
    if (seen.has(id)) throw answerNotAwaited(`The function call '${id}' is answered twice.`);
    seen.add(id);
  }
}

function toMessage(answers: readonly FunctionAnswer[]): Uint8Array {
  const parts = answers.map(({ id, name, response }) => ({ functionResponse: { id, name, response } }));
  return Buffer.from(JSON.stringify({ role: 'user', parts }));
}
