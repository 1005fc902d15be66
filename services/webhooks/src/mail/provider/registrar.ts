import type { WatchRow } from '../../store/watches/watches.ts';

/** Input for a registration at the provider. Gmail's watch takes its labels from all subscriptions to the mailbox instead. */
export interface Wanted {
  readonly resource: string;
  readonly changeType: string;
  /** Access token of the watch's mailbox and integration. */
  readonly accessToken: string;
}

/** A registration as the provider answered it. */
export interface Registration {
  readonly expiresAt: Date;
  /** Microsoft: id of the subscription. */
  readonly providerId: string | null;
  /** Gmail: labels that are watched; empty: all. */
  readonly labels: readonly string[];
  /** Gmail: history id at the time of the call. */
  readonly cursor: string | null;
}

/** Registers watches at one provider. The caller has claimed the watch. Each method throws ProviderError. */
export interface Registrar {
  register(watch: WatchRow, wanted: Wanted): Promise<Registration>;
  /** Extends a registration. `not_found`: the provider has forgotten it. */
  renew(watch: WatchRow): Promise<Registration>;
  /** Ends a registration; also succeeds when there is none. */
  end(watch: WatchRow): Promise<void>;
}
