import type { CompactionKeys } from './compaction-keys.ts';

/** When and how the sessions of an app are summarized. */
export interface CompactionRule {
  /** Turns of the user after which the session is summarized. Absent: their number does not matter. */
  readonly interval: number | undefined;
  /** Turns that the summary before covers already, and that the model reads again. */
  readonly overlap: number;
  /** Tokens of the last request of a model from which on the session is summarized. Absent: they do not matter. */
  readonly tokenThreshold: number | undefined;
  /** Number of newest events that are kept when the tokens are the reason. */
  readonly retain: number;
  /** The model that the app names for summaries. */
  readonly model: string | undefined;
  /** Text of the request, with `{conversation_history}` where the events stand. Absent: ADK's. */
  readonly promptTemplate: string | undefined;
}

/** The rule of the root agent's file; undefined where its sessions are not summarized. */
export function compactionRuleOf(keys: CompactionKeys | undefined): CompactionRule | undefined {
  if (keys === undefined) return undefined;
  return {
    interval: keys.compaction_interval,
    overlap: keys.overlap_size ?? 0,
    tokenThreshold: keys.token_threshold,
    retain: keys.event_retention_size ?? 0,
    model: keys.summarizer?.model,
    promptTemplate: keys.summarizer?.prompt_template,
  };
}
