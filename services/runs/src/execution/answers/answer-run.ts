import { isMeshError, type MeshError } from '@agentmesh/lib/rpc';
import type { Leaving } from '@agentmesh/lib/wait';
import type { JsonObject } from '@agentmesh/proto/event';
import { type LedgerRun, Multitask, RunStatus, type SessionKey } from '@agentmesh/proto/sessions/v1';
import { answerNotAwaited, runNotWaiting } from '../../errors.ts';
import { acceptRun } from '../accept-run.ts';
import type { Running } from '../running.ts';
import { awaitedCalls } from './awaited-calls.ts';

/** Hours after which the key of an answer is forgotten. */
const keyHours = 24;

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
  /** See AnswerRunRequest; empty for none. */
  readonly idempotencyKey?: string;
  /** See acceptRun. */
  readonly left?: Leaving;
}

/** A run that goes on with an answer. */
interface AnsweredRun {
  readonly session: SessionKey;
  /** An earlier answer with the same idempotency key was accepted. */
  readonly already: boolean;
}

/**
 * Goes on with a run that waits, as its next attempt. Only one of several answers to a call is accepted, whatever replica gets it. Fails with aborted
 * `run_not_waiting`, invalid_argument `answer_not_awaited`, and as `acceptRun`.
 */
export async function answerRun(context: Running, answer: RunAnswer): Promise<AnsweredRun> {
  const fault = faultOf(answer);
  const isKeyed = answer.idempotencyKey !== undefined && answer.idempotencyKey !== '';
  if (fault !== undefined && !isKeyed) throw fault;
  // An answer that was accepted before is not awaited any more: only the ledger knows its key.
  return accept(context, answer, fault === undefined ? answer.run.attempt : noAttempt).catch((error: unknown) => {
    throw fault !== undefined && isMeshError(error) && refusals.includes(error.reason) ? fault : error;
  });
}

/** Reasons of the ledger for refusing answers that are not awaited. */
const refusals = ['run_not_waiting', 'function_call_not_found'];

/** No run waits since this attempt: the ledger refuses the answer, unless it has accepted one with the same key. */
const noAttempt = 2 ** 31 - 1;

async function accept(
  context: Running,
  { accountId, run, answers, isBound, idempotencyKey = '', left }: RunAnswer,
  waitingAttempt: number,
): Promise<AnsweredRun> {
  const { appName, userId, sessionId } = run;
  const session = { accountId, appName, userId, sessionId } as SessionKey;
  const request = {
    session,
    messageJson: toMessage(answers),
    stateDeltaJson: nothing,
    customMetadataJson: run.customMetadataJson,
    invocationId: '',
    idempotencyKey,
    idempotencyKeyHours: keyHours,
    isBound: isBound || run.isBound,
    multitask: Multitask.ENQUEUE,
    streaming: run.streaming,
    waitingAttempt,
  };
  const { already } = await acceptRun(context, request, { left });
  return { session, already };
}

const nothing = new Uint8Array(0);

/** Why the answer cannot be accepted; undefined when it can. */
function faultOf({ run, answers }: RunAnswer): MeshError | undefined {
  if (run.status !== RunStatus.WAITING) return runNotWaiting(run.invocationId);
  const names = new Map(awaitedCalls(run).map(({ functionCallId, name }) => [functionCallId, name]));
  const seen = new Set<string>();
  if (answers.length === 0) return answerNotAwaited('An answer has at least one function response.');
  for (const { id, name } of answers) {
    const awaited = names.get(id);
    if (awaited === undefined) return answerNotAwaited(`The run does not wait for the function call '${id}'.`);
    if (awaited !== name)
      return answerNotAwaited(`The function call '${id}' is one of '${awaited}', not of '${name}'.`);
    if (seen.has(id)) return answerNotAwaited(`The function call '${id}' is answered twice.`);
    seen.add(id);
  }
  return undefined;
}

function toMessage(answers: readonly FunctionAnswer[]): Uint8Array {
  const parts = answers.map(({ id, name, response }) => ({ functionResponse: { id, name, response } }));
  return Buffer.from(JSON.stringify({ role: 'user', parts }));
}
