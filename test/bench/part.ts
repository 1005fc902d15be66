/** A benchmark of one ability, beside the load that all targets share. */
export interface Part {
  /** As it is named on the command line. */
  readonly name: string;
  measure(options: PartOptions): Promise<readonly Figure[]>;
}

export interface PartOptions {
  readonly say: (text: string) => void;
  /** Gives up: what was started is stopped and the part throws. */
  readonly signal: AbortSignal;
}

/** What was measured and, for a goal, its limit. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}
