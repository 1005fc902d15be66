/** The parts of a session's revision. */
export interface Revised {
  /** Creation in Unix microseconds. */
  readonly createdAt: bigint;
  /** Sequence of the newest event. */
  readonly lastSeq: number;
}

/** The revision of a session. It changes with every event, and a new session with the same id has other revisions. */
export function revisionOf({ createdAt, lastSeq }: Revised): string {
  return `${createdAt}-${lastSeq}`;
}
