import type { ProviderClient } from '../provider/create-provider-client.ts';
import type { MailAccount } from '../provider/provider.ts';
import type { Found, WatchLabel, WatchToLookAt } from '../store/look-rows.ts';

/** A look at one watch. */
export interface Look {
  readonly mailAccount: MailAccount;
  readonly client: ProviderClient;
  readonly watch: WatchToLookAt;
  /** Subscriptions that want new mail; at least one. */
  readonly labels: readonly WatchLabel[];
  readonly signal: AbortSignal;
}

/** Result of a look. */
export interface Findings {
  readonly found: readonly Found[];
  /** Gmail: history id for the next look. */
  readonly cursor: string | null;
  /** Microsoft: link for the next look. */
  readonly deltaLink: string | null;
  /** False when there is more to read at once. */
  readonly isComplete: boolean;
}

/** Clocks of providers differ from ours, and lists of mails by time have the resolution of a second. */
export const marginMs = 120_000;

/**
 * Time from which on mail may have been missed: the start of the catch-up or the last look, whichever is earlier. At the first look it is
 * the registration or the activation of the subscriptions, whichever is later.
 */
export function missedSince({ watch, labels }: Pick<Look, 'watch' | 'labels'>): Date {
  const activeSince = Math.min(...labels.map(({ active_since: since }) => since.getTime()));
  const first = Math.max(activeSince, watch.registered_at?.getTime() ?? 0);
  const known = [watch.catch_up_from, watch.looked_at].flatMap((time) => (time === null ? [] : [time.getTime()]));
  return new Date(Math.max(activeSince, known.length > 0 ? Math.min(...known) : first) - marginMs);
}
