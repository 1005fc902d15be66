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
  /** Answers of models that are to come before one has seen the messages. */
  let missing = 0;
  return {
    came(isAhead) {
      missing = isAhead ? 2 : 1;
    },
    note(event) {
      if (missing > 0 && getFunctionResponses(event).length === 0) missing -= 1;
    },
    reopen() {
      missing = 0;
    },
    get areUnseen() {
      return missing > 0;
    },
  };
}
