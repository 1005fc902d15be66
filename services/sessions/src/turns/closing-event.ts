import { randomUUID } from 'node:crypto';
import { completeActions, toWireEvent } from '@agentmesh/proto/event';
import { AttemptEnd_Outcome } from '@agentmesh/proto/sessions/v1';
import { textOf } from '../json-bytes.ts';
import type { StoredEvent } from '../store/events/events.ts';
import { interruptedByRun, rolledBackByRun } from '../store/turns/interrupts.ts';
import type { AttemptEnding } from './attempt.ts';

/** The end of a run whose executor is gone. */
const interrupted: AttemptEnding = {
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

/** The end of a run whose place another run took. */
const displaced: AttemptEnding = {
  outcome: AttemptEnd_Outcome.INTERRUPTED,
  errorCode: interruptedByRun,
  errorMessage: 'Another run of the session took the place of this one.',
};

/** The end of a run whose turn another run rolls back. */
const rolledBack: AttemptEnding = {
  ...displaced,
  errorMessage: 'Another run of the session took the place of this one, and its turn was rewound.',
  rewinds: true,
};

/** The end of a run that is being stopped, by the cause that its row has. */
export function stoppedEnding(cause: string | null): AttemptEnding {
  if (cause === rolledBackByRun) return rolledBack;
  return cause === interruptedByRun ? displaced : cancelled;
}

/** The end of a run that has no executor any more. */
export function endingOf({ status, cause }: { readonly status: string; readonly cause: string | null }): AttemptEnding {
  return status === 'cancelling' ? stoppedEnding(cause) : interrupted;
}

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
