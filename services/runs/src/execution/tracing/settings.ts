import { daysFrom, part } from '@agentmesh/lib/service';

/** The settings of traces. */
export const traceSettings = {
  TRACES_SAMPLE: part({
    default: 1,
    desc: 'part of all runs whose spans and log lines are stored, from 0 (none) to 1 (all)',
  }),
  TRACES_KEEP_DAYS: daysFrom(1)({ default: 7, desc: 'days for which the spans and log lines of runs are kept' }),
};

type Cleaned = { readonly [Name in keyof typeof traceSettings]: number } & { readonly ADK_WEB_UI: boolean };

export interface TraceConfig {
  /** Part of all runs. */
  readonly sample: number;
  readonly keepDays: number;
  /** Whether anybody wants the spans of runs. */
  readonly isWatched: boolean;
}

export function readTraceConfig({ ADK_WEB_UI, TRACES_SAMPLE: sample, TRACES_KEEP_DAYS }: Cleaned): TraceConfig {
  return { sample, keepDays: TRACES_KEEP_DAYS, isWatched: ADK_WEB_UI || sample > 0 };
}
