import type { Bus } from '@agentmesh/lib/bus';
import type { Job } from '@agentmesh/lib/service';
import { AccountChangedSchema, AccountDeletedSchema, type AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import type { AccountChanges } from './account-changes.ts';

const pauseMs = 400;
const timeoutMs = 2_000;

export interface ChangeFollower {
  readonly changes: AccountChanges;
  /** True if the caches hold nothing that a change could make stale. */
  readonly isIdle: () => boolean;
  readonly auth: Client<typeof AuthService>;
}

/**
 * Notes changes at once when the bus reports them: the next request of the account then asks auth. Stops when the returned
 * function is called.
 */
export async function hearChanges(bus: Bus, changes: AccountChanges): Promise<() => Promise<void>> {
  const unsubscribe = [
    await bus.subscribe(AccountChangedSchema, ({ accountId }) => changes.note(accountId)),
    await bus.subscribe(AccountDeletedSchema, ({ accountId }) => changes.note(accountId)),
  ];
  return async () => {
    for (const leave of unsubscribe) await leave();
  };
}

/**
 * Reads every 400 ms which accounts changed, because the bus may lose messages. So a token ends everywhere within a second, and no
 * request pays a look-up for it. Reads nothing while the caches are empty. While auth is unavailable, changes are unknown; cached
 * entries then end after a minute.
 */
export function createFollowChanges(follower: ChangeFollower): Job {
  let reading: Reading | undefined;
  return {
    pauseMs,
    failure: 'cannot read changes of accounts: revoked tokens may be accepted up to a minute longer',
    async run() {
      if (!follower.isIdle()) reading = await readChanges(follower, reading);
    },
  };
}

/** State that the next read continues from. */
interface Reading {
  readonly cursor: bigint;
  /** Fingerprints by account. While a transaction stays open, reads return the same changes again; each fingerprint counts once. */
  readonly told: ReadonlyMap<string, bigint | undefined>;
}

async function readChanges({ auth, changes }: ChangeFollower, last: Reading | undefined): Promise<Reading> {
  const cursor = last?.cursor;
  const read = await auth.listChangedAccounts(cursor === undefined ? {} : { cursor }, { timeoutMs });
  // Entries from before the first cursor, or from another database, may have changed unnoticed.
  if (cursor === undefined || read.cursor < cursor || read.truncated) changes.noteAll();
  const told = new Map(read.accountIds.map((accountId, index) => [accountId, read.fingerprints[index]]));
  for (const [accountId, fingerprint] of told) {
    if (fingerprint === undefined || last?.told.get(accountId) !== fingerprint) changes.note(accountId);
  }
  return { cursor: read.cursor, told };
}
