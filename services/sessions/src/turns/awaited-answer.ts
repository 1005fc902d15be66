import type { Queryable } from '@agentmesh/lib/pg';
import type { ContentJson, JsonObject } from '@agentmesh/proto/event';
import { runInProgress, runNotWaiting } from '../errors.ts';
import type { CheckedKey } from '../session-key.ts';
import { type AwaitingRun, selectAwaitingRun } from '../store/ledger/awaiting-run.ts';

/** Names of the calls with which an agent asks a person. */
const askingPerson = /^(adk_request_|request_input$)/;

/** An answer to function calls of a run. */
export interface Answer {
  readonly invocationId: string;
  readonly calls: readonly { readonly id: string; readonly name: string }[];
  /** The attempt since which the caller knows the run to wait; 0 when it does not know. */
  readonly attempt: number;
}

/** A run that waits for the answered calls. */
export interface Awaited {
  /** The attempt since which it waits. */
  readonly attempt: number;
  /** The answer leaves no call open. */
  readonly isLast: boolean;
  /** Messages that the run has kept until then. */
  readonly added: string | null;
}

/**
 * The run that waits for the answered calls: the answer may be accepted only while that is so. Null when it may be accepted
 * anyway: ADK allows several answers of a long-running tool to one call, and calls of sessions that were imported belong to no run.
 *
 * @throws MeshError aborted `run_not_waiting` for a call that asks a person and was answered or cancelled before, and with `attempt` for any call
 * that the run does not wait for; already_exists `run_in_progress` for a call that asks a person while the run goes on
 */
export async function waitingSince(db: Queryable, key: CheckedKey, answer: Answer): Promise<Awaited | null> {
  const { invocationId, attempt } = answer;
  const run = await selectAwaitingRun(db, { ...key, invocationId });
  const isAwaited = run?.status === 'waiting' && awaits(run, answer);
  if (isAwaited && (attempt === 0 || attempt === run.attempt)) {
    return { attempt: run.attempt, isLast: answersAll(run.waiting_for, answer.calls), added: run.added };
  }
  if (attempt > 0) throw runNotWaiting(invocationId);
  const asksPerson = answer.calls.some(({ name }) => askingPerson.test(name));
  if (run !== undefined && asksPerson) refuseSecond(invocationId, run);
  return null;
}

/** A run that failed or was interrupted may be tried again with the answer that it had. */
function refuseSecond(invocationId: string, { status }: AwaitingRun): void {
  if (['waiting', 'completed', 'cancelled'].includes(status)) throw runNotWaiting(invocationId);
  if (['queued', 'granted', 'running', 'cancelling'].includes(status)) throw runInProgress(invocationId);
}

/** The calls that a message answers. */
export function answersIn(message: string | null): { readonly id: string }[] {
  const { parts = [] } = message === null ? {} : (JSON.parse(message) as ContentJson);
  return parts.flatMap(({ functionResponse }) => {
    const id = (functionResponse as JsonObject | undefined)?.['id'];
    return typeof id === 'string' ? [{ id }] : [];
  });
}

/** Whether a run that waits for calls waits for no others. */
export function answersAll(waitingFor: string | null, calls: readonly { readonly id: string }[]): boolean {
  const answered = new Set(calls.map(({ id }) => id));
  return awaitedIds(waitingFor).every((id) => answered.has(id));
}

function awaitedIds(waitingFor: string | null): string[] {
  return waitingFor === null
    ? []
    : (JSON.parse(waitingFor) as { functionCallId: string }[]).map((call) => call.functionCallId);
}

/** True also when it is not known for which calls the run waits: its executor did not say it. */
function awaits({ waiting_for: json }: AwaitingRun, { calls }: Answer): boolean {
  if (json === null) return true;
  const awaited = new Set(awaitedIds(json));
  return calls.every(({ id }) => awaited.has(id));
}
