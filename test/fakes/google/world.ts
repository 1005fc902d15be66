import { Authorization, type FakeClient, type FakeUser, type NewMail, type VirtualClock } from '../upstream/index.ts';

export interface StoredMail {
  readonly id: string;
  readonly threadId: string;
  labelIds: string[];
  readonly receivedAt: Date;
  readonly mail: NewMail;
  /** History id of its last change. */
  historyId: bigint;
}

export interface HistoryRecord {
  readonly id: bigint;
  readonly kind: 'messagesAdded' | 'messagesDeleted' | 'labelsAdded';
  readonly message: { readonly id: string; readonly threadId: string; readonly labelIds: readonly string[] };
}

export interface Watch {
  readonly topic: string;
  /** Empty: all labels. */
  readonly labelIds: readonly string[];
  readonly isExclude: boolean;
  readonly expiresAt: Date;
}

export interface Mailbox {
  readonly user: FakeUser;
  /** Label ids by name. */
  readonly labels: Map<string, string>;
  readonly mails: StoredMail[];
  readonly history: HistoryRecord[];
  historyId: bigint;
  /** History that begins before this id is not found. */
  oldestHistoryId: bigint;
  watch: Watch | undefined;
}

/** Whether Gmail may publish to a topic. A topic that is not listed does not exist. */
export type TopicGrant = 'granted' | 'denied';

export const projectId = 'mesh-project';
export const topic = `projects/${projectId}/topics/mail`;

/** State of the fake: mailboxes, watches, topics, tokens. */
export class World {
  readonly clock: VirtualClock;
  readonly client: FakeClient;
  readonly authorization: Authorization;
  readonly mailboxes = new Map<string, Mailbox>();
  readonly topics = new Map<string, TopicGrant>([[topic, 'granted']]);
  /** Addresses of users who have consented before. */
  readonly consented = new Set<string>();
  made = 0;

  constructor(clock: VirtualClock, client: FakeClient) {
    this.clock = clock;
    this.client = client;
    const refreshLifeMs = 183 * 86_400_000;
    this.authorization = new Authorization({ clock, client, prefix: 'google', rotates: false, refreshLifeMs });
  }

  next(): number {
    this.made += 1;
    return this.made;
  }

  addUser(address: string, name = 'Ada Lovelace'): FakeUser {
    const user = { id: `10000000000000000000${this.mailboxes.size + 1}`, address, name };
    const system = ['INBOX', 'SENT', 'DRAFT', 'SPAM', 'TRASH', 'UNREAD', 'IMPORTANT'];
    this.mailboxes.set(address, {
      user,
      labels: new Map([...system.map((label) => [label, label] as const), ['Bills', 'Label_1']]),
      mails: [],
      history: [],
      historyId: 1000n,
      oldestHistoryId: 0n,
      watch: undefined,
    });
    return user;
  }

  mailboxOf(address: string): Mailbox {
    const mailbox = this.mailboxes.get(address);
    if (mailbox === undefined) throw new Error(`The fake has no mailbox ${address}.`);
    return mailbox;
  }

  /** Notes a change. History ids grow in steps of more than one. */
  note(mailbox: Mailbox, kind: HistoryRecord['kind'], mail: StoredMail): void {
    mailbox.historyId += 7n;
    mail.historyId = mailbox.historyId;
    const { id, threadId, labelIds } = mail;
    mailbox.history.push({ id: mailbox.historyId, kind, message: { id, threadId, labelIds: [...labelIds] } });
  }

  reset(): void {
    this.mailboxes.clear();
    this.consented.clear();
    this.topics.clear();
    this.topics.set(topic, 'granted');
    this.authorization.reset();
    this.made = 0;
  }
}
