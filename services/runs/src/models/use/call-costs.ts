import type { PricedModel, TokenCounts } from '@agentmesh/lib/prices';

/** A call that has ended. */
export interface EndedCall {
  /** Undefined when the model did not tell. */
  readonly tokens: TokenCounts | undefined;
  /** The model's name in its answer. */
  readonly answered: string | undefined;
}

/** The cost of all calls of a run that have ended. */
export interface CountedCost {
  /** In 10^-9 US dollars. */
  readonly nanos: bigint;
  /** Calls without a known price. */
  readonly unpriced: number;
}

/** Counts what the calls of a run cost, and refuses calls that the run may not pay. */
export interface CallCosts {
  /** Throws when the run has spent more than it may. */
  check(): void;
  /**
   * Notes that a call begins, with a guess at its input tokens, which count if the run ends before the call. The answer takes its end, once. Throws
   * ModelCallError `MODEL_PRICE_UNKNOWN` when the run has a limit and the model no known price.
   */
  begin(model: PricedModel, input: number): Promise<(end: EndedCall) => void>;
}
