import { wholeNumberFrom } from '@agentmesh/lib/service';
import type { AccountLimits } from './account-usage.ts';
import type { SizeLimits } from './store/sizes.ts';

/** Executors renew every three seconds. A shorter lease would end runs whose executor is alive. */
const shortestLease = 5;

const mebibyte = 1024 * 1024;
/** The state of three scopes and a message of a few megabytes fit into one message of the mesh. */
const mostStateBytes = 16 * mebibyte;

export const settings = {
  /** Seconds after which a run whose executor has stopped renewing is taken over or ended. */
  SESSIONS_LEASE_SECONDS: wholeNumberFrom(shortestLease, 3_600)({ default: 10 }),
  SESSIONS_STATE_MAX_VALUE_BYTES: wholeNumberFrom(
    1,
    mostStateBytes,
  )({
    default: 4 * mebibyte,
    desc: 'bytes of one key of the state with its value',
  }),
  SESSIONS_STATE_MAX_SCOPE_BYTES: wholeNumberFrom(
    1,
    mostStateBytes,
  )({
    default: 8 * mebibyte,
    desc: 'bytes of the state of one session, one user of an app, or one app',
  }),
  SESSIONS_MAX_BYTES: wholeNumberFrom(
    1,
    Number.MAX_SAFE_INTEGER,
  )({
    default: 1024 * mebibyte,
    desc: 'bytes of the events of one session',
  }),
  SESSIONS_RETENTION_DAYS: wholeNumberFrom(
    0,
    36_500,
  )({
    default: 0,
    desc: 'days for which ended runs and events are kept, unless an account has rules of its own; 0: for ever',
  }),
  SESSIONS_ACCOUNT_MAX_SESSIONS: wholeNumberFrom(
    1,
    Number.MAX_SAFE_INTEGER,
  )({
    default: 10_000_000,
    desc: 'sessions of one account',
  }),
  SESSIONS_ACCOUNT_MAX_BYTES: wholeNumberFrom(
    1,
    Number.MAX_SAFE_INTEGER,
  )({
    default: 1024 * 1024 * mebibyte,
    desc: 'bytes of the events of one account',
  }),
  SESSIONS_ACCOUNT_MAX_RUNS: wholeNumberFrom(
    1,
    Number.MAX_SAFE_INTEGER,
  )({
    default: 10_000_000,
    desc: 'runs of one account in the ledger, and idempotency keys of runs',
  }),
  SESSIONS_ACCOUNT_MAX_STATE_BYTES: wholeNumberFrom(
    1,
    Number.MAX_SAFE_INTEGER,
  )({
    default: 16 * 1024 * mebibyte,
    desc: 'bytes of all state of one account',
  }),
};

export function readAccountLimits(config: { readonly [Name in keyof typeof settings]: number }): AccountLimits {
  return {
    sessions: config.SESSIONS_ACCOUNT_MAX_SESSIONS,
    bytes: config.SESSIONS_ACCOUNT_MAX_BYTES,
    runs: config.SESSIONS_ACCOUNT_MAX_RUNS,
    state: config.SESSIONS_ACCOUNT_MAX_STATE_BYTES,
  };
}

/** The sizes of single things that the settings allow. */
export function readSizeLimits(
  config: {
    readonly [Name in keyof typeof settings]: number;
  },
): Omit<SizeLimits, 'accountState'> {
  return {
    stateValueBytes: config.SESSIONS_STATE_MAX_VALUE_BYTES,
    stateScopeBytes: config.SESSIONS_STATE_MAX_SCOPE_BYTES,
    sessionBytes: config.SESSIONS_MAX_BYTES,
  };
}
