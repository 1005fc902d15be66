import type { TurnSchema } from '@agentmesh/proto/sessions/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import type { Context } from '../context.ts';
import { nothingKnown } from '../store/turns/turn-values.ts';
import type { DeadRun } from '../store/ledger/dead-runs.ts';
import type { DueRun } from '../store/runs.ts';
import { parseDelta } from '../state-delta.ts';
import type { Attempt } from '../turns/turn.ts';

export type TurnInit = MessageInitShape<typeof TurnSchema>;

/** The executor that claims runs. */
export interface Claimant {
  readonly owner: string;
  /** See BeginTurnRequest. */
  readonly window: number;
}

/** A claimant that takes any runs, and the answer to it. */
export interface Heir extends Claimant {
  readonly apps: readonly string[];
  readonly takesOver: boolean;
  /** Most turns that it starts, besides those that it takes over. */
  readonly limit: number;
  /** The turns of the answer so far. */
  readonly turns: TurnInit[];
  /** See ClaimRunsResponse. */
  isIncomplete: boolean;
  /** Aborts when no further turn can be handed over. */
  readonly late: AbortSignal;
  /** For the ends of dead runs, which are stored also when the caller has left: what one of them reads may take longer than any caller waits. */
  readonly service: Context;
}

/** A look for runs whose executor is gone. */
export interface Look {
  /** Its statements are dropped when the caller has left. */
  readonly context: Context;
  readonly heir: Heir;
  /** Gives the heir the runs that the lost executor has queued behind a run. To be awaited before the run ends. */
  readonly adopt: (run: DeadRun) => Promise<void>;
}

/** The attempt with which the claimant starts a run, or goes on with it. */
export function attemptOf(run: DueRun, { owner, window }: Claimant): Attempt {
  return {
    owner,
    window,
    known: nothingKnown,
    key: run.key,
    invocationId: run.invocationId,
    message: run.message ?? undefined,
    stateDelta: parseDelta(Buffer.from(run.stateDelta ?? '')),
    customMetadata: run.customMetadata ?? undefined,
    streaming: run.streaming,
    isBound: run.isBound,
    answeredSeq: run.answeredSeq,
  };
}
