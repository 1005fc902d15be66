import { type Event, getFunctionResponses } from '@google/adk/core';

/** An event with the keys that each call has set, which our patch of ADK keeps where it merges the changes of tools that were called together. */
interface MergedEvent extends Event {
  readonly stateKeysOfCalls?: readonly {
    readonly ids: readonly (string | undefined)[];
    readonly keys: readonly string[];
  }[];
}

/**
 * Takes changes of the state out of an event, and shows the error where they came from: in the response of the tool, or as the event's
 * `errorMessage` when no tool was called.
 */
export function refuseKeys(event: Event, keys: readonly string[], error: string): void {
  if (keys.length === 0) return;
  for (const key of keys) delete event.actions.stateDelta[key];
  const responses = getFunctionResponses(event);
  for (const response of writersOf(event, keys, responses)) response.response = { error };
  if (responses.length === 0) event.errorMessage = error;
}

type Response = ReturnType<typeof getFunctionResponses>[number];

/** The responses of the calls that have set any of the keys. */
function writersOf({ stateKeysOfCalls }: MergedEvent, keys: readonly string[], responses: readonly Response[]) {
  if (stateKeysOfCalls === undefined) return responses;
  const writers = stateKeysOfCalls.filter((call) => keys.some((key) => call.keys.includes(key)));
  const ids = new Set(writers.flatMap((call) => call.ids));
  return responses.filter(({ id }) => ids.has(id));
}
