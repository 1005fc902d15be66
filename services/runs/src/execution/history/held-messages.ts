import { type Event, getFunctionCalls, getFunctionResponses } from '@google/adk';

/** Keeps messages back while calls of tools are open: ADK leaves out what stands between a call and its response. */
export interface HeldMessages {
  /** Notes a whole event of the agents. */
  note(event: Event): void;
  add(messages: readonly Event[]): void;
  /** Removes and returns the messages that the agents may see now. */
  take(): Event[];
}

export function createHeldMessages(): HeldMessages {
  const open = new Set<string>();
  let held: Event[] = [];
  return {
    note(event) {
      const later = new Set(event.longRunningToolIds);
      for (const { id } of getFunctionCalls(event)) if (id !== undefined && !later.has(id)) open.add(id);
      for (const { id } of getFunctionResponses(event)) if (id !== undefined) open.delete(id);
    },
    add: (messages) => void held.push(...messages),
    take() {
      if (open.size > 0) return [];
      const free = held;
      held = [];
      return free;
    },
  };
}
