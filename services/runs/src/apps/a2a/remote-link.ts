import type { Event } from '@google/adk/core';
import type { Part } from '@google/genai';

/** A message to a remote agent. */
export interface RemoteAsk {
  readonly accountId: string;
  /** The conversation since the agent's last answer, with that answer. */
  readonly events: readonly Event[];
  /** A value of the session's state. */
  readonly state: (key: string) => unknown;
  readonly signal: AbortSignal;
}

/** A piece of the answer, in the fields of an event: parts to show at once, the whole answer, or the reason why there is none. */
export interface RemoteReply {
  readonly parts?: Part[];
  readonly partial?: boolean;
  readonly customMetadata?: Record<string, unknown>;
  /** The call in `parts` that waits for the user's answer to the agent's question. */
  readonly longRunningToolIds?: string[];
  readonly errorCode?: string;
  readonly errorMessage?: string;
}

/** A remote agent, as agents reach it. It fails only with the reason of the signal: all else is a reply. */
export interface RemoteLink {
  ask(ask: RemoteAsk): AsyncGenerator<RemoteReply, void>;
}
