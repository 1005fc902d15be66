import type { Bus } from '@agentmesh/lib/bus';
import type { Job } from '@agentmesh/lib/service';
import { AccountChangedSchema, AccountDeletedSchema, type AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import type { AccountChanges } from './account-changes.ts';

const pauseMs = 400;
const timeoutMs = 2_000;

export interface ChangeFollower {
  readonly changes: AccountChanges;
  /** Whether nothing is remembered that a change could make stale. */
  readonly isIdle: () => boolean;
  readonly auth: Client<typeof AuthService>;
}

/** Notes what the bus says has changed, at once, until the returned function is called. */
export async function hearChanges(bus: Bus, changes: AccountChanges): Promise<() => Promise<void>> {
  const unsubscribe = [
    await bus.subscribe(AccountChangedSchema, ({ accountId }) => changes.note(accountId)),
    await bus.subscribe(AccountDeletedSchema, ({ accountId }) => changes.bury(accountId)),
  ];
  return async () => {
    for (const leave of unsubscribe) await leave();
  };
}

/**
 * Reads every 400 ms which accounts changed, for the bus may lose what it is told: whatever ends a token ends it here within a
 * second, and no request pays for it. Nothing is read while nothing is remembered. While auth is away nothing new can be
 * known; what is remembered then ends by itself, after a minute.
 */
export function createFollowChanges(follower: ChangeFollower): Job {
  let reading: Reading | undefined;
  return {
    pauseMs,
    failure: 'changes of accounts cannot be read: revocations may be noticed late',
    async run() {
      if (!follower.isIdle()) reading = await readChanges(follower, reading);
    },
  };
}

/** What the next one goes on from. */
interface Reading {
  readonly cursor: bigint;
  /** Fingerprints by account: while some transaction stays open the same changes are read again, and count once. */
  readonly told: ReadonlyMap<string, bigint | undefined>;
}

async function readChanges({ auth, changes }: ChangeFollower, last: Reading | undefined): Promise<Reading> {
  const cursor = last?.cursor;
  const read = await auth.listChangedAccounts(cursor === undefined ? {} : { cursor }, { timeoutMs });
  // Whatever was remembered before the first cursor, or of another database, may have changed unseen.
  if (cursor === undefined || read.cursor < cursor || read.truncated) changes.noteAll();
  const told = new Map(read.accountIds.map((accountId, index) => [accountId, read.fingerprints[index]]));
  for (const [accountId, fingerprint] of told) {
    if (fingerprint === undefined || last?.told.get(accountId) !== fingerprint) changes.note(accountId);
  }
  return { cursor: read.cursor, told };
}
