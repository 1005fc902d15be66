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
  return new MessagesOfRun();
}

class MessagesOfRun implements HeldMessages {
  /** Ids of calls without a response. */
  readonly #open: string[] = [];
  #held: Event[] = [];
  #isAnswered = false;

  note(event: Event): void {
    const responses = getFunctionResponses(event);
    this.#isAnswered = responses.some(({ name = '' }) => name.startsWith(questionPrefix));
    for (const { id } of getFunctionCalls(event)) {
      if (id === undefined || event.longRunningToolIds?.includes(id) === true || this.#open.includes(id)) continue;
      this.#open.push(id);
    }
    for (const { id } of responses) {
      const index = id === undefined ? -1 : this.#open.indexOf(id);
      if (index !== -1) this.#open.splice(index, 1);
    }
  }

  add(messages: readonly Event[]): void {
    this.#held.push(...messages);
  }

  take(): Event[] {
    const free = this.#held;
    if (free.length === 0 || this.#open.length > 0 || this.#isAnswered) return [];
    this.#held = [];
    return free;
  }
}
