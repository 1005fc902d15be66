import { type Event, getFunctionCalls, getFunctionResponses } from '@google/adk/core';
import type { FunctionCall } from '@google/genai';

/** Calls of one event that no later event answers. */
export interface OpenCallsOfEvent {
  readonly event: Event;
  /** At least one. */
  readonly calls: readonly FunctionCall[];
}

/** The open calls of the last event of a run that has calls; undefined when there are none. */
export function openCallsOf(events: readonly Event[]): OpenCallsOfEvent | undefined {
  const index = events.findLastIndex((event) => getFunctionCalls(event).length > 0);
  const event = events[index];
  if (event === undefined) return undefined;
  const answered = new Set(events.slice(index + 1).flatMap((later) => getFunctionResponses(later).map(({ id }) => id)));
  const calls = getFunctionCalls(event).filter(({ id }) => !answered.has(id));
  return calls.length === 0 ? undefined : { event, calls };
}
