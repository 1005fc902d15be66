import { type Event, getFunctionResponses } from '@google/adk/core';

/** Keeps track of whether the agents of an attempt have seen the messages that were added to the run. */
export interface AddedMessages {
  /** Notes that messages came. `isAhead`: the loop may have called a model for its next event before that. */
  came(isAhead: boolean): void;
  /** Notes a whole event of the loop. */
  note(event: Event): void;
  /** To be called when the agents run again: they see everything then. */
  reopen(): void;
  /** Whether no model was surely called since messages came. */
  readonly areUnseen: boolean;
}

export function createAddedMessages(): AddedMessages {
  return new CountedMessages();
}

class CountedMessages implements AddedMessages {
  /** Answers of models that are to come before one has seen the messages. */
  #missing = 0;

  came(isAhead: boolean): void {
    this.#missing = isAhead ? 2 : 1;
  }

  note(event: Event): void {
    if (this.#missing > 0 && getFunctionResponses(event).length === 0) this.#missing -= 1;
  }

  reopen(): void {
    this.#missing = 0;
  }

  get areUnseen(): boolean {
    return this.#missing > 0;
  }
}
