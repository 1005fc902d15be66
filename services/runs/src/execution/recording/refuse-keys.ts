import { type Event, getFunctionResponses } from '@google/adk';

/**
 * Takes changes of the state out of an event, and shows the error where they came from: in the response of the tool, or as the event's
 * `errorMessage` when no tool was called.
 */
export function refuseKeys(event: Event, keys: readonly string[], error: string): void {
  if (keys.length === 0) return;
  for (const key of keys) delete event.actions.stateDelta[key];
  const responses = getFunctionResponses(event);
  // ADK merges the changes of tools that were called together: those are to blame that name the key.
  const named = responses.filter(({ response }) => keys.some((key) => JSON.stringify(response ?? {}).includes(key)));
  for (const response of named.length > 0 ? named : responses) response.response = { error };
  if (responses.length === 0) event.errorMessage = error;
}
