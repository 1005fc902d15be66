import { createHash, timingSafeEqual } from 'node:crypto';
import type { Queryable, Transaction } from '@agentmesh/lib/pg';
import type { MailboxKey } from '../../store/mailboxes.ts';
import {
  insertNotified,
  type NotifiedWatch,
  planLifecycle,
  selectWatchesByPath,
  selectWatchesByProviderIds,
} from '../../store/notified.ts';
import type { ProviderMethods } from '../provider/mail-provider.ts';
import { addReadings, readMailboxTask } from '../read-mailbox-task.ts';
import { type GraphItem, readGraphNotifications } from './graph-notifications.ts';

/** An item that came from Microsoft, and its watch. */
interface Authentic {
  readonly watch: NotifiedWatch;
  readonly about: GraphItem['about'];
}

/** Longest path token that is looked up. */
const maxTokenLength = 256;
/** Microsoft tries to deliver a notification for four hours; one that it has given up was missed since then. */
const missedMs = 5 * 3_600_000;

/** Stores the authentic items of one request. Never fails because of what the request contains. */
export const graphNotified: ProviderMethods['notified'] = async ({ db, jobs, clock }, { pathToken, body }) => {
  const items = readGraphNotifications(body);
  const authentic = authenticate(items, pathToken, await selectWatches(db, pathToken, items));
  const counts = { stored: authentic.length, ignored: Math.max(items.length, 1) - authentic.length };
  if (authentic.length === 0) return counts;
  const now = clock.now();
  await db.transaction(async (tx) => {
    // Everybody locks new logs, then the mailbox, then its watches. The mailbox is locked late, because its reader needs it, too.
    const stored = await storeMails(tx, authentic, now);
    const lifecycles = authentic.filter(({ about }) => 'lifecycle' in about);
    await addReadings(tx, { jobs, mailboxes: [...stored, ...lifecycles.map(mailboxOf)], now });
    await planLifecycles(tx, lifecycles, now);
  });
  jobs.wake(readMailboxTask);
  return counts;
};

async function selectWatches(db: Queryable, pathToken: string, items: readonly GraphItem[]): Promise<NotifiedWatch[]> {
  if (items.length === 0 || pathToken.length > maxTokenLength) return [];
  if (pathToken !== '') return selectWatchesByPath(db, { pathTokenHash: hashOf(pathToken) });
  return selectWatchesByProviderIds(db, {
    provider: 'microsoft',
    providerIds: [...new Set(items.map(({ subscriptionId }) => subscriptionId))],
  });
}

/** Items that carry the client state of their watch. Each comparison takes the same time for any client state. */
function authenticate(items: readonly GraphItem[], pathToken: string, watches: readonly NotifiedWatch[]): Authentic[] {
  return items.flatMap(({ subscriptionId, clientState, about }) => {
    const isOf = (watch: NotifiedWatch): boolean => pathToken !== '' || watch.provider_id === subscriptionId;
    const hash = hashOf(clientState);
    const watch = watches.find((one) => isOf(one) && isEqual(one.client_state_hash, hash));
    return watch === undefined ? [] : [{ watch, about }];
  });
}

const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

function isEqual(stored: Buffer | null, hash: Buffer): boolean {
  return stored?.length === hash.length && timingSafeEqual(stored, hash);
}

function mailboxOf({ watch: { account_id: accountId, provider, mailbox } }: Authentic): MailboxKey {
  return { accountId, provider, mailbox };
}

function storeMails(tx: Transaction, items: readonly Authentic[], now: Date): Promise<MailboxKey[]> {
  const mails = items.flatMap(({ watch, about }) =>
    'messageId' in about ? [{ accountId: watch.account_id, watchId: watch.id, ...about }] : [],
  );
  return insertNotified(tx, mails, now);
}

/** Watches are locked in the order of their keys everywhere. */
function compareKeys(a: NotifiedWatch, b: NotifiedWatch): number {
  if (a.account_id !== b.account_id) return a.account_id < b.account_id ? -1 : 1;
  return Number(a.id - b.id);
}

async function planLifecycles(tx: Transaction, items: readonly Authentic[], now: Date): Promise<void> {
  const missedSince = new Date(now.getTime() - missedMs);
  for (const { watch, about } of items.toSorted((a, b) => compareKeys(a.watch, b.watch))) {
    if (!('lifecycle' in about)) continue;
    const at = { accountId: watch.account_id, id: watch.id };
    await planLifecycle(tx, { ...at, event: about.lifecycle, missedSince, now });
  }
}
