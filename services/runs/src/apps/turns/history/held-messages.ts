import { type Event, getFunctionCalls, getFunctionResponses } from '@google/adk/core';

/** Names of the calls with which ADK asks a person about another call. */
const questionPrefix = 'adk_request_';

/**
 * Keeps messages back while calls of tools are open: ADK leaves out what stands between a call and its response. The answer to a question of ADK's own
 * opens the call that the question is about: ADK makes it next, and looks for the answer in the last event of the user.
 */
export interface HeldMessages {
  /** Notes a whole event of the agents, or of the user. */
  note(event: Event): void;
  add(messages: readonly Event[]): void;
  /** Removes and returns the messages that the agents may see now. */
  take(): Event[];
}

export function createHeldMessages(): HeldMessages {
  const open = new Set<string>();
  let held: Event[] = [];
  let isAnswered = false;
  return {
    note(event) {
      isAnswered = getFunctionResponses(event).some(({ name = '' }) => name.startsWith(questionPrefix));
      const later = new Set(event.longRunningToolIds);
      for (const { id } of getFunctionCalls(event)) if (id !== undefined && !later.has(id)) open.add(id);
      for (const { id } of getFunctionResponses(event)) if (id !== undefined) open.delete(id);
    },
    add: (messages) => void held.push(...messages),
    take() {
      if (open.size > 0 || isAnswered) return [];
      const free = held;
      held = [];
      return free;
    },
  };
}
