/** A benchmark of one feature, separate from the load that all targets share. */
export interface Part {
  /** Name on the command line. */
  readonly name: string;
  measure(options: PartOptions): Promise<readonly Figure[]>;
}

export interface PartOptions {
  readonly say: (text: string) => void;
  /** Aborts the part: the target is stopped and the part throws. */
  readonly signal: AbortSignal;
}

/** One measured value, with its limit if it is a goal. */
export interface Figure {
  readonly label: string;
  readonly value: number;
  readonly atMost?: number;
  readonly atLeast?: number;
}
