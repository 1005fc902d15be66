import type { Event } from '@google/adk/core';
import type { Part } from '@google/genai';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import { checkLimits } from '../limits/run-limits.ts';
import type { RunCost } from '../limits/run-cost.ts';
import { cutName } from '../../models/use/cut-name.ts';
import { tokenCount } from '../../models/use/token-count.ts';
import type { AttemptEnd, Turn } from '@agentmesh/proto/sessions/v1';

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

/** Calls that ADK makes to ask about a call of a tool, which counts itself. `services/sessions` counts alike. */
const questions: ReadonlySet<string | undefined> = new Set(['adk_request_confirmation', 'adk_request_credential']);

const nothing = new Uint8Array(0);

/** Counts of earlier attempts, by name. */
type EarlierUse = Readonly<Record<string, number>>;

/** The use of the run's earlier attempts, as the turn has it. */
export function earlierUse({ usedJson }: Pick<Turn, 'usedJson'>): EarlierUse {
  return parseSums(usedJson);
}

function parseSums(json: Uint8Array): EarlierUse {
  return json.length === 0 ? {} : (JSON.parse(Buffer.from(json).toString()) as EarlierUse);
}

/**
 * `costs` counts the calls of models, also those whose answers are no events of the run. `turn`: what earlier attempts have used counts for the limits, and
 * the part of it that nobody has reported is reported with this attempt.
 */
export function createAttemptUsage(
  costs: Pick<RunCost, 'check' | 'spent' | 'tokens'>,
  turn: Pick<Turn, 'usedJson' | 'unreportedJson'>,
): AttemptUsage {
  const earlier = earlierUse(turn);
  const unreported = parseSums(turn.unreportedJson);
  const begun = performance.now();
  const sums = new Map<string, number>();
  let modelCalls = 0;
  let toolCalls = 0;
  let limits: RunLimits | undefined;
  let model = '';
  return {
    note({ modelVersion, usageMetadata, content }) {
      for (const part of content?.parts ?? []) if (isToolCall(part)) toolCalls += 1;
      if (modelVersion === undefined && usageMetadata === undefined) return;
      modelCalls += 1;
      if (typeof modelVersion === 'string') model = cutName(modelVersion);
      for (const name of counted) {
        const count = tokenCount(usageMetadata?.[name]);
        if (count > 0) sums.set(name, (sums.get(name) ?? 0) + count);
      }
    },
    get modelCalls() {
      return modelCalls;
    },
    limit: (most) => void (limits = most),
    check: () => {
      const { toolCalls: calls = 0, totalTokenCount: tokens = 0 } = earlier;
      // The calls count more where agents are tools, the events where models have other counts of their own.
      const own = Math.max(costs.tokens, sums.get('totalTokenCount') ?? 0);
      if (limits) checkLimits({ toolCalls: calls + toolCalls, tokens: tokens + own }, limits);
      costs.check();
    },
    used: () => {
      const seconds = Math.round((performance.now() - begun) / 100) / 10;
      const own: Record<string, number> = {};
      for (const [name, sum] of sums) own[name] = sum;
      if (modelCalls > 0) own['modelCalls'] = modelCalls;
      if (toolCalls > 0) own['toolCalls'] = toolCalls;
      if (seconds >= 1) own['seconds'] = seconds;
      Object.assign(own, costs.spent);
      const usage = hasAny(unreported) ? addSums(own, unreported) : own;
      if (!hasAny(usage)) return { model, usageJson: nothing };
      return { model, usageJson: Buffer.from(JSON.stringify({ modelCalls: 0, ...usage })) };
    },
  };
}

function hasAny(sums: EarlierUse): boolean {
  for (const _ in sums) return true;
  return false;
}

function isToolCall({ functionCall }: Part): boolean {
  return functionCall !== undefined && !questions.has(functionCall.name);
}

function addSums(sums: EarlierUse, more: EarlierUse): EarlierUse {
  const names = new Set([...Object.keys(sums), ...Object.keys(more)]);
  return Object.fromEntries([...names].map((name) => [name, (sums[name] ?? 0) + (more[name] ?? 0)]));
}
