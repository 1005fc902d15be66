import { type Event, getFunctionResponses } from '@google/adk';

const error = 'A token that is bound to a user_id cannot set app: state.';

/**
 * Takes changes of `app:` state out of an event whose run may act for one end user only, and shows the error where the change came
 * from: in the response of the tool, or as the event's `errorMessage` when no tool was called. Returns the keys.
 */
export function refuseAppState(event: Event): string[] {
  const delta = event.actions.stateDelta;
  const keys = Object.keys(delta).filter((key) => key.startsWith('app:'));
  if (keys.length === 0) return keys;
  for (const key of keys) delete delta[key];
  const responses = getFunctionResponses(event);
  // ADK merges the changes of tools that were called together: those are to blame that name the key.
  const named = responses.filter(({ response }) => keys.some((key) => JSON.stringify(response ?? {}).includes(key)));
  for (const response of named.length > 0 ? named : responses) response.response = { error };
  if (responses.length === 0) event.errorMessage = error;
  return keys;
}
