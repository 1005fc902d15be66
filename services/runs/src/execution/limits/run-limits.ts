import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';

/** Use of a run so far. */
export type RunUse = Pick<RunLimits, 'toolCalls' | 'tokens'>;

const names = {
  seconds: { errorCode: 'MAX_RUN_SECONDS', unit: 'seconds', setting: 'RUNS_MAX_SECONDS' },
  toolCalls: { errorCode: 'MAX_TOOL_CALLS', unit: 'tool calls', setting: 'RUNS_MAX_TOOL_CALLS' },
  tokens: { errorCode: 'MAX_RUN_TOKENS', unit: 'tokens', setting: 'RUNS_MAX_TOKENS' },
  cost: { errorCode: 'MAX_RUN_COST', unit: 'US dollars', setting: 'RUNS_MAX_COST' },
} as const;

/** A run has reached one of its limits. Its text is public. */
export class LimitReached extends Error {
  override readonly name = 'RunLimitReached';
  readonly errorCode: string;

  /** `isUnknown`: it is not known how much the run has taken, so it may not go on. */
  constructor(limit: keyof typeof names, most: number, isUnknown = false) {
    const { errorCode, unit, setting } = names[limit];
    const reached = isUnknown ? 'cannot be kept within' : 'reached';
    super(`The run ${reached} the limit of ${most} ${unit} (${setting}, or run_limits of the app).`);
    this.errorCode = errorCode;
  }
}

/** Throws LimitReached when a run that goes on has taken more than it may. */
export function checkLimits(use: RunUse, limits: RunLimits): void {
  for (const limit of ['toolCalls', 'tokens'] as const) {
    if (use[limit] > limits[limit]) throw new LimitReached(limit, limits[limit]);
  }
}

/** The lower one of each limit. */
export function lowerLimits(limits: RunLimits, own: Partial<RunLimits> = {}): RunLimits {
  const lower = (limit: keyof RunLimits) => Math.min(limits[limit], own[limit] ?? Infinity);
  return {
    seconds: lower('seconds'),
    modelCalls: lower('modelCalls'),
    toolCalls: lower('toolCalls'),
    tokens: lower('tokens'),
    cost: lower('cost'),
  };
}
