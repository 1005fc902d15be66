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
  limit(limits: RunLimits): void;
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
export function createAttemptUsage(costs: CountedCosts, turn: Pick<Turn, 'usedJson' | 'unreportedJson'>): AttemptUsage {
  return new UsageOfAttempt(costs, turn);
}

type CountedCosts = Pick<RunCost, 'check' | 'spent' | 'tokens'>;

class UsageOfAttempt implements AttemptUsage {
  modelCalls = 0;
  readonly #costs: CountedCosts;
  readonly #earlier: EarlierUse;
  readonly #unreported: EarlierUse;
  readonly #begun = performance.now();
  readonly #sums: { [Name in (typeof counted)[number]]?: number } = {};
  #toolCalls = 0;
  #limits: RunLimits | undefined;
  #model = '';

  constructor(costs: CountedCosts, turn: Pick<Turn, 'usedJson' | 'unreportedJson'>) {
    this.#costs = costs;
    this.#earlier = earlierUse(turn);
    this.#unreported = parseSums(turn.unreportedJson);
  }

  note({ modelVersion, usageMetadata, content }: Event): void {
    for (const part of content?.parts ?? []) if (isToolCall(part)) this.#toolCalls += 1;
    if (modelVersion === undefined && usageMetadata === undefined) return;
    this.modelCalls += 1;
    if (typeof modelVersion === 'string') this.#model = cutName(modelVersion);
    for (const name of counted) {
      const count = tokenCount(usageMetadata?.[name]);
      if (count > 0) this.#sums[name] = (this.#sums[name] ?? 0) + count;
    }
  }

  limit(most: RunLimits): void {
    this.#limits = most;
  }

  check(): void {
    const { toolCalls = 0, totalTokenCount: tokens = 0 } = this.#earlier;
    // The calls count more where agents are tools, the events where models have other counts of their own.
    const own = Math.max(this.#costs.tokens, this.#sums.totalTokenCount ?? 0);
    const used = { toolCalls: toolCalls + this.#toolCalls, tokens: tokens + own };
    if (this.#limits) checkLimits(used, this.#limits);
    this.#costs.check();
  }

  used(): UsedModels {
    const seconds = Math.round((performance.now() - this.#begun) / 100) / 10;
    const own: Record<string, number> = { ...this.#sums };
    if (this.modelCalls > 0) own['modelCalls'] = this.modelCalls;
    if (this.#toolCalls > 0) own['toolCalls'] = this.#toolCalls;
    if (seconds >= 1) own['seconds'] = seconds;
    Object.assign(own, this.#costs.spent);
    const usage = hasAny(this.#unreported) ? addSums(own, this.#unreported) : own;
    const model = this.#model;
    if (!hasAny(usage)) return { model, usageJson: nothing };
    return { model, usageJson: Buffer.from(JSON.stringify({ modelCalls: 0, ...usage })) };
  }
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
