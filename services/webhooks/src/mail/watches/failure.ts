import type { ProviderError, ProviderErrorKind } from '../provider/provider-error.ts';
import type { WatchRow } from '../../store/watches/watches.ts';

/** Seconds from a failure to the next attempt, by the number of failures; the last one repeats. */
const pauses = [30, 120, 600, 1_800];
/** Seconds between two attempts when only the owner can help. Connecting the mail account again starts an attempt at once. */
const ownerPause = 3_600;

const messages: Readonly<Record<ProviderErrorKind, string>> = {
  disconnected: 'The mail account is not connected. Connect it on the Integrations page.',
  other_mailbox:
    'Another mailbox is connected now. Connect the mailbox of this subscription again, on the Integrations page, or delete the subscription.',
  reconnect: 'The mail account has to be connected again, on the Integrations page.',
  misconfigured:
    'The mail provider does not accept the client credentials of this server. Its operator has to mend them.',
  unauthorized:
    'The mail provider does not accept the credentials of the mail account. Connect the mail account again, on the Integrations page.',
  forbidden: 'The mail provider does not allow this subscription.',
  publish_forbidden: 'Gmail may not publish to the Pub/Sub topic of this server.',
  topic_missing: 'Gmail does not find the Pub/Sub topic of this server.',
  other_topic: 'Gmail notifies another Pub/Sub topic about the mailbox.',
  not_found: 'The mail provider does not find the folder or label.',
  gone: 'The mail provider has forgotten the subscription.',
  rejected: 'The mail provider refuses the subscription.',
  busy: 'The mail provider answers that there were too many requests.',
  unavailable: 'The mail provider does not answer.',
};

/** Explains a failure to the owner. */
export function messageOf(kind: ProviderErrorKind): string {
  return messages[kind];
}

const ownerKinds: readonly ProviderErrorKind[] = ['disconnected', 'other_mailbox', 'reconnect'];

/** Whether only the owner can help, by connecting the mail account. */
export function isForOwner(kind: ProviderErrorKind): boolean {
  return ownerKinds.includes(kind);
}

/** A failed attempt as it is stored. */
export interface FailedAttempt {
  readonly state: WatchRow['state'];
  readonly errorCode: ProviderErrorKind;
  readonly lastError: string;
  readonly nextAttemptAt: Date;
}

/**
 * Returns the next state of a watch after a failed attempt. The watch stays active until it has expired, unless its owner has to connect the
 * mail account: then it is in `error`. Attempts go on in every state.
 */
export function failedAttempt(watch: WatchRow, error: ProviderError, now: Date): FailedAttempt {
  const needsOwner = isForOwner(error.kind);
  const scheduled = needsOwner ? ownerPause : (pauses[watch.failures] ?? pauses.at(-1) ?? ownerPause);
  const seconds = Math.max(scheduled, error.retryAfterSeconds ?? 0);
  return {
    // A provider that refuses every token may be out of order, so that attempts go on as usual.
    state: needsOwner || error.kind === 'unauthorized' ? 'error' : stateAfter(watch, now),
    errorCode: error.kind,
    lastError: messageOf(error.kind),
    nextAttemptAt: new Date(now.getTime() + seconds * 1000),
  };
}

function stateAfter({ state, expires_at: expiresAt }: WatchRow, now: Date): WatchRow['state'] {
  if (state !== 'active') return state;
  return expiresAt !== null && expiresAt <= now ? 'expired' : 'active';
}
