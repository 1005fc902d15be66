import {
  Authorization,
  type FakeClient,
  type FakeUser,
  type NewMail,
  uuidOf,
  type VirtualClock,
} from '../upstream/index.ts';

export interface StoredAttachment {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly isInline: boolean;
  readonly bytes: Uint8Array;
}

export interface StoredMail {
  readonly number: number;
  /** Id with `Prefer: IdType="ImmutableId"`; the same in every folder. */
  readonly immutableId: string;
  /** Id without it: another one after each move. */
  defaultId: string;
  folderId: string;
  readonly receivedAt: Date;
  readonly mail: NewMail;
  readonly attachments: readonly StoredAttachment[];
}

/** One change of a folder, for delta queries. */
export interface Change {
  readonly number: number;
  readonly folderId: string;
  readonly mail: StoredMail;
  readonly kind: 'created' | 'updated' | 'deleted';
}

export interface Mailbox {
  readonly user: FakeUser;
  /** Folder ids by their names, e.g. `Inbox`. */
  readonly folders: ReadonlyMap<string, string>;
  readonly mails: StoredMail[];
  readonly changes: Change[];
  /** Requests for this mailbox that are not answered yet. */
  open: number;
}

export interface Subscription {
  readonly id: string;
  readonly user: FakeUser;
  readonly resource: string;
  readonly changeTypes: readonly string[];
  readonly clientState: string | undefined;
  readonly notificationUrl: string;
  readonly lifecycleNotificationUrl: string | undefined;
  /** Whether its notifications carry immutable ids. */
  readonly isImmutable: boolean;
  expiresAt: Date;
  /** It waits to be authorized again and delivers nothing. */
  isPaused: boolean;
}

export const tenantId = uuidOf('7', 1);

/** State of the fake: mailboxes, subscriptions, tokens. */
export class World {
  readonly clock: VirtualClock;
  readonly client: FakeClient;
  readonly authorization: Authorization;
  readonly mailboxes = new Map<string, Mailbox>();
  readonly subscriptions = new Map<string, Subscription>();
  /** Delta cursors with a lower number are answered with 410. */
  oldestDelta = 0;
  /** Number of the last thing that was made. */
  made = 0;

  constructor(clock: VirtualClock, client: FakeClient) {
    this.clock = clock;
    this.client = client;
    const refreshLifeMs = 90 * 86_400_000;
    this.authorization = new Authorization({ clock, client, prefix: 'ms', rotates: true, refreshLifeMs });
  }

  next(): number {
    this.made += 1;
    return this.made;
  }

  addUser(address: string, name = 'Ada Lovelace'): FakeUser {
    const user = { id: uuidOf('a', this.mailboxes.size + 1), address, name };
    const folder = (kind: string): string => `AQMk${kind}${this.mailboxes.size + 1}`;
    const folders = new Map(['Inbox', 'Archive', 'SentItems', 'Drafts'].map((kind) => [kind, folder(kind)]));
    this.mailboxes.set(address, { user, folders, mails: [], changes: [], open: 0 });
    return user;
  }

  mailboxOf(address: string): Mailbox {
    const mailbox = this.mailboxes.get(address);
    if (mailbox === undefined) throw new Error(`The fake has no mailbox ${address}.`);
    return mailbox;
  }

  reset(): void {
    this.mailboxes.clear();
    this.subscriptions.clear();
    this.authorization.reset();
    this.oldestDelta = 0;
    this.made = 0;
  }
}
