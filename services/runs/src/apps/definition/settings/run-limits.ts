/** Limits of a run. Infinity: no limit. */
export interface RunLimits {
  readonly seconds: number;
  readonly modelCalls: number;
  readonly toolCalls: number;
  readonly tokens: number;
  /** US dollars. */
  readonly cost: number;
}
