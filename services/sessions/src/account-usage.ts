import type { Usage } from '@agentmesh/lib/usage';
import { accountRuns, accountSessions, accountState, accountStoredBytes } from './errors.ts';
import type { CheckedKey } from './session-key.ts';

/** Kinds that are only counted up while an account works: rows that were deleted since are found when it is counted anew. */
export type Grown = 'runs' | 'run_keys' | 'state';

/** `…_counted`: the number when it was counted anew. */
export type SessionUsage = Usage<'sessions' | 'bytes' | Grown | `${Grown}_counted`>;

/** Tables of what is counted. */
export const heldBy = ['sessions', 'runs', 'state', 'run_keys'];

/** Most of each kind that one account has. */
export interface AccountLimits {
  readonly sessions: number;
  /** Bytes of events. */
  readonly bytes: number;
  /** Runs in the ledger, and idempotency keys of runs. */
  readonly runs: number;
  /** Bytes of state, see `checkChanges`. */
  readonly state: number;
}

/** Usage of accounts and their limits. */
export interface AccountUsage {
  readonly usage: Pick<SessionUsage, 'of' | 'take' | 'hold' | 'add'>;
  readonly accountLimits: AccountLimits;
}

/**
 * Room for one more session, which is held until it is disposed. Throws resource_exhausted `account_sessions` when the account has as many sessions as it may, with
 * those that are being created.
 */
export function takeRoom(
  { usage, accountLimits }: AccountUsage,
  { accountId, appName, userId, sessionId }: CheckedKey,
): Disposable {
  const names = [JSON.stringify([appName, userId, sessionId])];
  const room = usage.take(accountId, { kind: 'sessions', names, most: accountLimits.sessions });
  if (room === undefined) throw accountSessions();
  return room;
}

/** The same for a session whose id was just made: no other call creates it. */
export function takeRoomForNew({ usage, accountLimits }: AccountUsage, accountId: string): Disposable {
  if (usage.of(accountId, 'sessions') >= accountLimits.sessions) throw accountSessions();
  return usage.hold(accountId, { sessions: 1 });
}

/**
 * Throws resource_exhausted `account_stored_bytes` when the events of the account have as many bytes as they may. The events of running attempts
 * are stored all the same.
 */
export function checkBytes({ usage, accountLimits }: AccountUsage, accountId: string): void {
  if (usage.of(accountId, 'bytes') >= accountLimits.bytes) throw accountStoredBytes();
}

/** Bytes of metadata that count like a run of their own. */
export const metadataOfRun = 4_096;

/**
 * Room for one more run, which is held until it is disposed. Throws resource_exhausted `account_runs` when the account has as many runs, or idempotency keys of runs, as it
 * may, with those that are being accepted.
 */
export function takeRoomForRun(
  { usage, accountLimits }: AccountUsage,
  accountId: string,
  isKeyed: boolean,
): Disposable {
  const isFull = usage.of(accountId, 'runs') >= accountLimits.runs;
  if (isFull || (isKeyed && usage.of(accountId, 'run_keys') >= accountLimits.runs)) throw accountRuns();
  return usage.hold(accountId, isKeyed ? { runs: 1, run_keys: 1 } : { runs: 1 });
}

interface StoredRun {
  /** The ledger has a row more. */
  readonly isNew: boolean;
  readonly isKeyed: boolean;
  readonly customMetadata: string | undefined;
}

/** Counts an accepted run. */
export function countRun({ usage }: AccountUsage, accountId: string, run: StoredRun): void {
  const metadata = run.customMetadata === undefined ? 0 : Buffer.byteLength(run.customMetadata);
  const runs = (run.isNew ? 1 : 0) + Math.floor(metadata / metadataOfRun);
  usage.add(accountId, run.isKeyed ? { runs, run_keys: 1 } : { runs });
}

/** Bytes of the state of accounts. */
export interface AccountState {
  /** Throws resource_exhausted `account_state` when the account may not store so many more. */
  check(accountId: string, bytes: number): void;
  /** Counts what is being stored until it is disposed. */
  hold(accountId: string, bytes: number): Disposable;
  /** Counts what was stored. */
  add(accountId: string, bytes: number): void;
}

/** The state of accounts: at most `accountLimits.state` bytes of each. */
export function createAccountState({ usage, accountLimits }: AccountUsage): AccountState {
  return {
    check(accountId, bytes) {
      if (usage.of(accountId, 'state') + bytes > accountLimits.state) throw accountState();
    },
    hold: (accountId, bytes) => usage.hold(accountId, { state: bytes }),
    add: (accountId, bytes) => usage.add(accountId, { state: bytes }),
  };
}
