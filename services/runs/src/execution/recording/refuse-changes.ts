import type { Event } from '@google/adk/core';
import { refuseAppState } from './refuse-app-state.ts';
import { type RefusalOptions, refuseUnstorable } from './refuse-unstorable.ts';

/** Takes the changes of the state out of an event that the sessions service would refuse. Returns their keys. */
export function refuseChanges(event: Event, options: RefusalOptions): string[] {
  const foreign = options.turn.isBound ? refuseAppState(event) : [];
  return [...foreign, ...refuseUnstorable(event, options)];
}
