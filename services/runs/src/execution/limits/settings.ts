import { amount, positiveInteger, wholeNumber } from '@agentmesh/lib/service';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';

/** The settings that limit each run. */
export const limitSettings = {
  RUNS_MAX_SECONDS: wholeNumber({ default: 3_600, desc: 'how long one run may take while it executes; 0: any time' }),
  RUNS_MAX_MODEL_CALLS: positiveInteger({ default: 25, desc: 'most model calls of one run' }),
  RUNS_MAX_TOOL_CALLS: wholeNumber({ default: 0, desc: 'most calls of tools in one run; 0: any number' }),
  RUNS_MAX_TOKENS: wholeNumber({ default: 0, desc: 'most tokens of one run; 0: any number' }),
  RUNS_MAX_COST: amount({
    default: 0,
    desc: 'most US dollars that the model calls of one run may cost; 0: any amount',
  }),
};

type Cleaned = { readonly [Name in keyof typeof limitSettings]: number };

export function readRunLimits(settings: Cleaned): RunLimits {
  return {
    seconds: settings.RUNS_MAX_SECONDS || Infinity,
    modelCalls: settings.RUNS_MAX_MODEL_CALLS,
    toolCalls: settings.RUNS_MAX_TOOL_CALLS || Infinity,
    tokens: settings.RUNS_MAX_TOKENS || Infinity,
    cost: settings.RUNS_MAX_COST || Infinity,
  };
}
