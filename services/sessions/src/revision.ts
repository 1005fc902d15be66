/** What a session's revision is made of. */
export interface Revised {
  /** Creation in Unix microseconds. */
  readonly createdAt: bigint;
  /** Sequence of the newest event. */
  readonly lastSeq: number;
}

/** Names a session at its newest event: no other event, and no other session under the same id, has the same name. */
export function revisionOf({ createdAt, lastSeq }: Revised): string {
  return `${createdAt}-${lastSeq}`;
}
