import type { Event } from '@google/adk/core';

/** Whether an event is a message that was added to a run after its beginning: see addedEvent in sessions. */
export function isAddedToRun({ author, customMetadata }: Event): boolean {
  return author === 'user' && customMetadata?.['addedToRun'] === true;
}
