import { randomUUID } from 'node:crypto';
import { completeActions, toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { textOf } from '../json-bytes.ts';
import type { StoredEvent } from '../store/events/events.ts';
import type { AttemptEnding } from './attempt.ts';

/** The end of a run whose executor is gone. */
export const interrupted: AttemptEnding = {
  outcome: AttemptEnd_Outcome.FAILED,
  errorCode: 'INTERRUPTED',
  errorMessage: 'The run was interrupted: its executor stopped before the run had ended.',
};

/** The end of a run that was cancelled and has no executor. */
export const cancelled: AttemptEnding = {
  outcome: AttemptEnd_Outcome.CANCELLED,
  errorCode: 'CANCELLED',
  errorMessage: 'The run was cancelled.',
};

/** The event with which a run ends that its executor does not end. It shows the reason in the session. */
export function closingEvent(
  { author, invocationId }: { readonly author: string; readonly invocationId: string },
  { errorCode, errorMessage }: AttemptEnding,
): StoredEvent {
  const event = toWireEvent({
    id: randomUUID(),
    author,
    invocationId,
    timestamp: Date.now() / 1000,
    errorCode,
    errorMessage,
    actions: completeActions(undefined),
    nodeInfo: { path: '' },
  });
  return { id: event.id, author, invocationId, timestamp: event.timestamp, turnStart: false, json: textOf(event.json) };
}
