import type { JsonObject } from '@agentmesh/proto/event';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import type { DoorRun } from './start-run.ts';

/** A call that a run waits for, as the ledger has it. */
export interface WaitingCall {
  readonly functionCallId: string;
  readonly name: string;
  readonly args?: JsonObject;
}

/** The calls that a run waits for; none when it does not wait. */
export function waitingCalls({ waitingForJson }: Pick<LedgerRun, 'waitingForJson'>): WaitingCall[] {
  return waitingForJson.length === 0 ? [] : (JSON.parse(Buffer.from(waitingForJson).toString()) as WaitingCall[]);
}

/** The names of the calls that a run waits for, by their ids. */
export function waitingNames(run: Pick<LedgerRun, 'waitingForJson'>): ReadonlyMap<string, string> {
  return new Map(waitingCalls(run).map(({ functionCallId, name }) => [functionCallId, name]));
}

/** The run of a session that waits for one of the calls. */
export async function findWaiting(
  { sessions }: Pick<Context, 'sessions'>,
  session: Omit<DoorRun, 'invocationId'>,
  callIds: ReadonlySet<string>,
): Promise<LedgerRun | undefined> {
  const { runs } = await sessions.listRuns({ ...session, statuses: [RunStatus.WAITING] }, unary);
  return runs.find((run) => waitingCalls(run).some(({ functionCallId }) => callIds.has(functionCallId)));
}
