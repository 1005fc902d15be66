import type { Bus } from '@agentmesh/lib/bus';
import type { Job } from '@agentmesh/lib/service';
import { AccountChangedSchema, AccountDeletedSchema, type AuthService } from '@agentmesh/proto/auth/v1';
import type { Client } from '@connectrpc/connect';
import { HttpError } from '../errors/request-error.ts';
import type { AccountChanges } from './account-changes.ts';
import type { Bearer } from './bearer.ts';
import type { Identity } from './identity.ts';

const pauseMs = 400;
const timeoutMs = 2_000;

export interface ChangeFollower {
  readonly changes: AccountChanges;
  /** True if no stream is open, and the caches hold nothing that a change could make stale. */
  readonly isIdle: () => boolean;
  readonly auth: Client<typeof AuthService>;
  readonly streams: OpenStreams;
}

/** Open streams of runs. They end with the process of the run, so each costs no timer of its own. */
export interface OpenStreams {
  /** Calls `end` within a second after the credential of `identity` was revoked, unless what is returned is disposed before. */
  add(identity: Identity, end: () => void): Disposable;
  /** Checks the credentials of accounts that have changed since they were checked. While they cannot be checked, streams go on. */
  look(): void;
  readonly isEmpty: boolean;
}

interface OpenStream {
  readonly identity: Identity;
  readonly end: () => void;
  mark: number;
}

export function createOpenStreams(changes: AccountChanges, bearer: Bearer): OpenStreams {
  const streams = new Set<OpenStream>();
  const check = async (stream: OpenStream): Promise<void> => {
    const mark = changes.mark();
    try {
      await bearer.recheck(stream.identity);
      stream.mark = mark;
    } catch (error) {
      if (error instanceof HttpError && streams.delete(stream)) stream.end();
    }
  };
  return {
    add(identity, end) {
      // An account may have changed since the request was let in: the first look checks each stream.
      const stream: OpenStream = { identity, end, mark: -1 };
      streams.add(stream);
      return { [Symbol.dispose]: () => streams.delete(stream) };
    },
    look() {
      for (const stream of streams) if (!changes.isGood(stream.identity.accountId, stream.mark)) void check(stream);
    },
    get isEmpty() {
      return streams.size === 0;
    },
  };
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
 * request pays a look-up for it. Reads nothing while the caches are empty and no stream is open. While auth is unavailable, changes are unknown; cached
 * entries then end after a minute.
 */
export function createFollowChanges(follower: ChangeFollower): Job {
  let reading: Reading | undefined;
  return {
    pauseMs,
    failure: 'cannot read changes of accounts: revoked tokens may be accepted up to a minute longer',
    async run() {
      if (!follower.isIdle()) reading = await readChanges(follower, reading);
      follower.streams.look();
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
