import type { Provider } from '../provider.ts';

/** A watch whose mailbox is to be looked at for mail of which no notification arrived. */
export interface WatchToLookAt {
  readonly id: bigint;
  readonly provider: Provider;
  readonly integration_id: bigint;
  /** Gmail: history id in decimal. */
  readonly cursor: string | null;
  readonly delta_link: string | null;
  /** JSON: ChangePlaces, or empty. */
  readonly change_places: string;
  readonly looked_at: Date | null;
  readonly catch_up_from: Date | null;
  readonly registered_at: Date | null;
  readonly look_requests: bigint;
  readonly look_failures: number;
}

/** An active subscription of a watch. */
export interface WatchLabel {
  readonly id: number;
  /** Gmail: id of the label or `ALL`. Microsoft: path of the folder's messages. */
  readonly resource: string;
  readonly active_since: Date;
  /** Kinds of changes that it wants. */
  readonly change_types: readonly string[];
}

/** A mail that a look has found, and a subscription that wants it. */
export interface Found {
  readonly subscriptionId: number;
  readonly messageId: string;
  /** Default: `created`. */
  readonly changeType?: 'created' | OtherChange;
}

/** Kinds of changes of a mail that exists. */
export type OtherChange = 'updated' | 'deleted';

/** Place in the changes of one kind in a folder at Microsoft. */
export interface ChangePlace {
  readonly link: string;
  /** False while the list still names mail that the folder had before the subscription, which does not count. */
  readonly isPrimed: boolean;
}

/** Microsoft: where looks for changed and deleted mail go on. */
export interface ChangePlaces extends Readonly<Partial<Record<OtherChange, ChangePlace>>> {
  /** `active_since` of the subscription for which they were read, in RFC 3339. */
  readonly activeSince: string;
}

/** Progress of a look. */
export interface LookedAt {
  readonly accountId: string;
  readonly id: bigint;
  /** Integration with whose tokens was looked. */
  readonly integrationId: bigint;
  /** Time at which the look began; null when there is more to read: mail from before may be among that. */
  readonly lookedAt: Date | null;
  readonly nextLookAt: Date;
  /** Gmail: history id up to which the history was read; null keeps the former one. */
  readonly cursor: string | null;
  /** Microsoft: link from which the next look for new mail goes on. */
  readonly deltaLink: string | null;
  /** JSON: ChangePlaces, or empty. */
  readonly changePlaces: string;
  /** `look_requests` when the look began. */
  readonly lookRequests: bigint;
}
