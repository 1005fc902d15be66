import type { MailProvider as IntegrationProvider } from '@agentmesh/proto/keys/v1/integrations';
import { fieldInvalid } from '../../src/errors.ts';
import type { Mail } from '../../src/mail/provider/mail.ts';
import type { OpenedProvider } from '../../src/mail/provider/mail-provider.ts';
import type { MailAccounts } from '../../src/mail/provider/mail-accounts.ts';
import { ProviderError } from '../../src/mail/provider/provider-error.ts';
import { addReadings, readMailboxTask } from '../../src/mail/read-mailbox-task.ts';
import { planMailboxLook, selectNotifiedMailboxes } from '../../src/store/notified.ts';

/** The post office of a made-up provider: its mailboxes, which mailboxes it is to tell about, and what it says of a new mail. */
export class PigeonPost {
  readonly watched = new Set<string>();
  readonly #mails = new Map<string, string[]>();

  /** A mail arrives. Answers the body of the notification. */
  send(mailbox: string, text: string): Uint8Array<ArrayBuffer> {
    this.#mails.set(mailbox, [...this.mailsOf(mailbox), text]);
    return Uint8Array.from(Buffer.from(JSON.stringify({ mailbox, number: this.mailsOf(mailbox).length })));
  }

  mailsOf(mailbox: string): readonly string[] {
    return this.#mails.get(mailbox) ?? [];
  }
}

/** Tokens of the made-up provider are the addresses of its mailboxes. */
export function pigeonAccounts(mailboxOf: (accountId: string) => string): MailAccounts {
  return {
    check: async () => {},
    accessToken: async (_, { accountId }) => {
      const mailbox = mailboxOf(accountId);
      return { accessToken: mailbox, mailbox, integrationId: 1n, userId: mailbox };
    },
    listEnding: async () => [],
    finishDisconnect: async () => {},
  };
}

const traits = {
  word: 'pigeon',
  integration: 99 as IntegrationProvider,
  callerWords: ['pigeon_post'],
  title: 'Pigeon Post',
  servesMailbox: true,
};

/** A provider of mail that only tests know: one watch serves a mailbox, whose mails have numbers. */
export function createPigeonPost(post: PigeonPost, mailboxOf: (accountId: string) => string): OpenedProvider {
  return {
    ...traits,
    checkConfigured: () => undefined,
    readResource: (resource = 'ALL') => {
      if (resource !== 'ALL') throw fieldInvalid('resource', 'Pigeons bring all mail.');
      return resource;
    },
    resourceOf: async (resource) => resource,
    newLocalId: () => 'pigeon-1',
    register: async ({ mailbox }) => {
      post.watched.add(mailbox);
      return { expiresAt, providerId: null, labels: [], cursor: String(post.mailsOf(mailbox).length) };
    },
    renew: async () => ({ expiresAt, providerId: null, labels: [], cursor: null }),
    end: async ({ mailbox }) => void post.watched.delete(mailbox),
    notified: async ({ db, jobs, clock }, { body }) => {
      const { mailbox, number } = JSON.parse(Buffer.from(body).toString()) as { mailbox: string; number: number };
      const now = clock.now();
      const notified = { provider: traits.word, mailbox, historyId: String(number) };
      const mailboxes = await selectNotifiedMailboxes(db, notified);
      await db.transaction(async (tx) => {
        await addReadings(tx, { jobs, mailboxes, now });
        await planMailboxLook(tx, mailboxes, { historyId: String(number), now });
      });
      jobs.wake(readMailboxTask);
      return { stored: mailboxes.length, ignored: 0 };
    },
    look: async ({ mailAccount: { accountId }, watch, labels }) => {
      const numbers = post.mailsOf(mailboxOf(accountId)).map((_, index) => index + 1);
      const unread = numbers.filter((number) => number > Number(watch.cursor));
      return {
        found: labels.flatMap(({ id }) =>
          unread.map((number) => ({ subscriptionId: id, messageId: String(number), changeType: 'created' as const })),
        ),
        cursor: String(numbers.length),
        deltaLink: null,
        changePlaces: '{}',
        isComplete: true,
      };
    },
    fetchMail: async ({ mailAccount: { accountId }, messageId }) => {
      const text = post.mailsOf(mailboxOf(accountId))[Number(messageId) - 1];
      if (text === undefined) throw new ProviderError({ kind: 'not_found' });
      return mailOf(messageId, text);
    },
    fetchAttachment: () => Promise.reject(new ProviderError({ kind: 'not_found' })),
  };
}

const expiresAt = new Date('2027-01-01T00:00:00Z');

const mailOf = (id: string, text: string): Mail => ({
  sender: { name: 'Carrier', address: 'carrier@pigeon.example' },
  hasClearSender: true,
  senderText: 'carrier@pigeon.example',
  subject: 'By air',
  to: '',
  cc: '',
  receivedAt: undefined,
  date: '',
  preview: text,
  snippet: text,
  text,
  html: undefined,
  headers: [],
  attachments: [],
  resource: `mails/${id}`,
  labels: [],
  isDraft: false,
});
