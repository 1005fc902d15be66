import type { Event } from '@google/adk/core';

/** The session that an attempt's agents see. */
export interface AgentSession {
  /** Its state as far as this process knows. */
  readonly state: Readonly<Record<string, unknown>>;
  /** Adds a whole event and applies its state delta. */
  absorb(event: Event): Promise<void>;
  /** Gives keys of the state the values that they had when the turn began. */
  reset(keys: readonly string[]): void;
  /** Applies state deltas that others committed, and the attempt's own that were committed after them. */
  applyDeltas(others: readonly Uint8Array[], own: readonly Uint8Array[]): void;
  /** Adds messages that were added to the run, as public JSON of their events: before the next model call that follows no open call of a tool. */
  addMessages(messages: readonly Uint8Array[]): void;
}
