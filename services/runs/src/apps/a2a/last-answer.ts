import type { Event } from '@google/adk/core';

/** Keys of an event's metadata that hold the place of a conversation, as in ADK for Python. */
export const contextKey = 'a2a:context_id';
export const taskKey = 'a2a:task_id';

/** Name of the call by which a question of a remote agent waits for the user's answer. */
export const questionName = 'request_input';

/** The events of which a message is made. */
export function sinceLastAnswer(events: readonly Event[], agentName: string): readonly Event[] {
  const { answer, conversation } = lastOf(events, agentName);
  return events.slice(Math.max(0, conversation === -1 ? answer : Math.min(answer, conversation)));
}

/** Indexes of the agent's last answer, and of the last one that names a conversation. Events that only change the state are no answers. */
export function lastOf(events: readonly Event[], agentName: string): { answer: number; conversation: number } {
  const isOwn = ({ author, partial }: Event): boolean => author === agentName && partial !== true;
  return {
    answer: events.findLastIndex((event) => isOwn(event) && (event.content ?? event.errorCode) !== undefined),
    conversation: events.findLastIndex((event) => isOwn(event) && event.customMetadata?.[contextKey] !== undefined),
  };
}
