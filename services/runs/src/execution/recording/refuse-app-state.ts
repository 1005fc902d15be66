import type { Event } from '@google/adk/core';
import { refuseKeys } from './refuse-keys.ts';

const error = 'A token that is bound to a user_id cannot set app: state.';

/**
 * Takes changes of `app:` state out of an event whose run may act for one end user only, and shows the error where the change came
 * from: in the response of the tool, or as the event's `errorMessage` when no tool was called. Returns the keys.
 */
export function refuseAppState(event: Event): string[] {
  const delta = event.actions.stateDelta;
  const keys = Object.keys(delta).filter((key) => key.startsWith('app:'));
  refuseKeys(event, keys, error);
  return keys;
}
