import type { ProviderClient } from './create-provider-client.ts';
import type { MailAccount } from '../../provider.ts';
import type { Found, WatchLabel, WatchToLookAt } from '../../store/look-rows.ts';

/** A look at one watch. */
export interface Look {
  readonly mailAccount: MailAccount;
  readonly watch: WatchToLookAt;
  /** Active subscriptions; at least one. */
  readonly labels: readonly WatchLabel[];
  /** Logs of mails that ended before may be deleted: such a mail would run its agent once more. Null: none are. */
  readonly logsSince: Date | null;
  readonly signal: AbortSignal;
}

/** A look by calls of the provider's API. */
export interface ClientLook extends Look {
  readonly client: ProviderClient;
}

/** Result of a look. */
export interface Findings {
  readonly found: readonly Found[];
  /** Gmail: history id for the next look. */
  readonly cursor: string | null;
  /** Microsoft: link for the next look for new mail. */
  readonly deltaLink: string | null;
  /** Microsoft, JSON: places of the next look for changed and deleted mail. */
  readonly changePlaces: string;
  /** False when there is more to read at once. */
  readonly isComplete: boolean;
  /** Seconds until the next look, when that is sooner than usual. */
  readonly pauseSeconds?: number;
}

/** Clocks of providers differ from ours. */
const marginMs = 120_000;

/**
 * Time from which on mail may have been missed, in whole seconds like the times of mails: the start of the catch-up or the last look, whichever
 * is earlier, less a margin. It is never before the subscriptions were active; at the first look it is that time, or the registration. What a look has
 * found is not looked for again where its logs may be deleted.
 */
export function missedSince({ watch, labels, logsSince }: Pick<Look, 'watch' | 'labels' | 'logsSince'>): Date {
  const activeSince = Math.min(...labels.map(({ active_since: since }) => since.getTime()));
  const first = watch.registered_at?.getTime() ?? 0;
  const { catch_up_from: catchUpFrom, looked_at: lookedAt } = watch;
  const isKnown = lookedAt !== null && catchUpFrom !== null && logsSince !== null && catchUpFrom < logsSince;
  const known = [isKnown ? null : catchUpFrom, lookedAt].flatMap((time) => (time === null ? [] : [time.getTime()]));
  const since = known.length > 0 ? Math.min(...known) - marginMs : first;
  return wholeSecond(new Date(Math.max(activeSince, since)));
}

/** The time without its milliseconds. Providers leave them out of the times of mails. */
export function wholeSecond(time: Date): Date {
  return new Date(Math.floor(time.getTime() / 1000) * 1000);
}
