import type { WireEvent } from '@agentmesh/proto/event';

/** News of a run. */
export interface LiveNews {
  /** Sequence of the newest stored event of the session that the executor knows. Stored events up to it come before `partials`. */
  readonly lastSeq: number;
  /** Partial events that were made after that stored event; empty when there are only stored events. */
  readonly partials: readonly WireEvent[];
  /** Number of the first one of `partials`: the first partial event after the stored event has number 1, or that of its attempt. A jump is a gap. */
  readonly firstPartial: number;
}

export type NewsHandler = (news: LiveNews) => void;
