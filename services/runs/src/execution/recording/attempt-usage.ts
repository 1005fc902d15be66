import type { Event } from '@google/adk';
import { checkLimits, type RunLimits } from '../limits/run-limits.ts';
import type { RunCost } from '../limits/run-cost.ts';
import type { AttemptEnd } from '@agentmesh/proto/sessions/v1';

/** The models of an attempt and their usage, as fields of AttemptEnd. */
export type UsedModels = Pick<AttemptEnd, 'model' | 'usageJson'>;

/** Sums up what the models of an attempt report. */
export interface AttemptUsage {
  /** Adds the usage of a whole event. */
  note(event: Event): void;
  used(): UsedModels;
  /** Number of answers of models so far. */
  readonly modelCalls: number;
  /** Sets the limits that `check` knows. */
  readonly limit: (limits: RunLimits) => void;
  /** Throws LimitReached when the attempt has taken more than it may. */
  check(): void;
}

const counted = [
  'promptTokenCount',
  'cachedContentTokenCount',
  'candidatesTokenCount',
  'thoughtsTokenCount',
  'toolUsePromptTokenCount',
  'totalTokenCount',
] as const;

const nothing = new Uint8Array(0);

/** `costs` counts the calls of models, also those whose answers are no events of the run. */
export function createAttemptUsage(costs: Pick<RunCost, 'check' | 'spent'>): AttemptUsage {
  const sums = new Map<string, number>();
  let modelCalls = 0;
  let toolCalls = 0;
  let limits: RunLimits | undefined;
  let model = '';
  return {
    note({ modelVersion, usageMetadata, content }) {
      for (const { functionCall } of content?.parts ?? []) if (functionCall !== undefined) toolCalls += 1;
      if (modelVersion === undefined && usageMetadata === undefined) return;
      modelCalls += 1;
      model = modelVersion ?? model;
      for (const name of counted) {
        const count = usageMetadata?.[name];
        if (count !== undefined && count > 0) sums.set(name, (sums.get(name) ?? 0) + count);
      }
    },
    get modelCalls() {
      return modelCalls;
    },
    limit: (most) => void (limits = most),
    check: () => {
      if (limits) checkLimits({ toolCalls, tokens: sums.get('totalTokenCount') ?? 0 }, limits);
      costs.check();
    },
    used: () => {
      const { spent } = costs;
      const isNothing = modelCalls === 0 && Object.keys(spent).length === 0;
      const usage = { ...Object.fromEntries(sums), modelCalls, ...spent };
      return { model, usageJson: isNothing ? nothing : Buffer.from(JSON.stringify(usage)) };
    },
  };
}
