import type { LedgerRun } from '@agentmesh/proto/sessions/v1';

/** A function call that a run waits for. */
export interface AwaitedCall {
  readonly functionCallId: string;
  readonly name: string;
}

/** The calls that a run waits for; none when it does not wait. */
export function awaitedCalls({ waitingForJson }: LedgerRun): readonly AwaitedCall[] {
  return waitingForJson.length === 0 ? [] : (JSON.parse(Buffer.from(waitingForJson).toString()) as AwaitedCall[]);
}
