import type { JsonObject } from '@agentmesh/proto/event';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { StoredEvent } from '../store/events/events.ts';
import { createUserEvent } from './user-event.ts';

/** A run to which messages are added. */
interface AddressedRun {
  readonly invocationId: string;
  /** JSON of the run's own metadata. */
  readonly customMetadata: string | null | undefined;
}

/**
 * The event of a message that was added to a run, marked by `addedToRun` in its metadata. It never begins a window: calls of the run may stand before it
 * whose responses come after it.
 */
export function addedEvent({ invocationId, customMetadata }: AddressedRun, message: string): StoredEvent {
  const own = typeof customMetadata === 'string' ? (parseExactly(customMetadata) as JsonObject) : {};
  const marked = JSON.stringify({ ...own, addedToRun: true });
  return createUserEvent({ invocationId, message, stateDelta: {}, customMetadata: marked, answersCalls: true });
}

/** The column `added_messages` with one more message. */
export function withMessage(added: string | null, message: string): string {
  return `[${added === null ? '' : `${added.slice(1, -1)},`}${message}]`;
}

/** The messages of the column, as JSON texts. */
export function readMessages(added: string | null | undefined): string[] {
  if (typeof added !== 'string') return [];
  return (parseExactly(added) as unknown[]).map((message) => JSON.stringify(message));
}
