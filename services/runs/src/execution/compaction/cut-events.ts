import { type Event, getFunctionCalls, getFunctionResponses } from '@google/adk/core';

/** An event that may be summarized. */
export interface CompactableEvent {
  readonly seq: number;
  readonly turnStart: boolean;
  readonly event: Event;
}

export interface CutOptions {
  /** The responses to the last calls may stand behind the events. */
  readonly more: boolean;
  /** A run that is not over may answer calls of any of the events. */
  readonly hasOpenRun: boolean;
  /** Whether the run of an invocation is not over. */
  readonly isOpen: (invocationId: string) => boolean;
}

/**
 * The first events that may be summarized: turns whose calls wait for a response stay whole, and no call at the end is parted from its response, which
 * may stand behind the events.
 */
export function cutEvents(
  events: readonly CompactableEvent[],
  { more, hasOpenRun, isOpen }: CutOptions,
): readonly CompactableEvent[] {
  const waiting = openCalls(events);
  const first = events.findIndex(({ event }) => waiting.has(event) && (hasOpenRun || isOpen(event.invocationId)));
  if (first !== -1) {
    const start = events.findLastIndex(({ turnStart }, index) => turnStart && index <= first);
    return events.slice(0, Math.max(start, 0));
  }
  if (!more) return events;
  const last = events.findLastIndex(({ event }) => !waiting.has(event));
  return events.slice(0, last + 1);
}

/** Invocations with calls that may be answered later. */
export function askingInvocations(events: readonly CompactableEvent[]): string[] {
  return [...new Set([...openCalls(events)].map(({ invocationId }) => invocationId))];
}

/** Events with calls that have no response, or whose response may be followed by another one. */
function openCalls(events: readonly CompactableEvent[]): Set<Event> {
  const answered = new Set(events.flatMap(({ event }) => getFunctionResponses(event).map(({ id }) => id)));
  const open = events.filter(({ event }) => {
    const later = new Set(event.longRunningToolIds);
    return getFunctionCalls(event).some(({ id }) => !answered.has(id) || (id !== undefined && later.has(id)));
  });
  return new Set(open.map(({ event }) => event));
}
