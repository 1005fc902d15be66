import { MeshError } from '@agentmesh/lib/rpc';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import { unknownAccount } from './unauthorized.ts';

/** What decides whether a token of an account is good, beside its signature. */
export interface Standing {
  /** In lower case. */
  readonly email: string;
  readonly role: string;
  /** The sign-in that was asked about has not ended. */
  readonly signInStands: boolean;
  /** Unix time in seconds: tokens without a sign-in that were issued before are refused. */
  readonly validFrom: number;
}

/** How accounts stand, remembered for a minute or until they change. */
export interface AccountDirectory {
  /** Fails with 401 for an account that does not exist, and as unavailable when nobody can tell. */
  find(accountId: string, signInId: string | undefined): Standing | Promise<Standing>;
  /** The account changed: the next request asks again. */
  forget(accountId: string): void;
  /** All may have changed. */
  forgetAll(): void;
  /** The account was deleted. Ids are never used again, so this one stays refused. */
  bury(accountId: string): void;
  /** Whether anything is remembered that could go stale. */
  readonly isEmpty: boolean;
}

const rememberedAccounts = 50_000;
const rememberedSignIns = 1_000;
const rememberedMs = 60_000;
const lookupTimeoutMs = 5_000;

type SignIns = Map<string, Standing | Promise<Standing>>;

export function createAccountDirectory(auth: Client<typeof AuthService>): AccountDirectory {
  const known = new LRUCache<string, SignIns>({ max: rememberedAccounts, ttl: rememberedMs });
  const deleted = new LRUCache<string, true>({ max: rememberedAccounts });

  /** An answer that comes after the account was forgotten goes into a map that nobody looks into any more. */
  function lookUp(accountId: string, signInId: string): Promise<Standing> {
    const signIns = known.get(accountId) ?? new Map();
    if (signIns.size === 0 || signIns.size >= rememberedSignIns) {
      signIns.clear();
      known.set(accountId, signIns);
    }
    const lookup = fetchStanding(auth, accountId, signInId).then(
      (standing) => {
        signIns.set(signInId, standing);
        return standing;
      },
      (error: unknown) => {
        signIns.delete(signInId);
        throw error;
      },
    );
    signIns.set(signInId, lookup);
    return lookup;
  }

  return {
    find(accountId, signInId = '') {
      const standing = known.get(accountId)?.get(signInId);
      if (standing !== undefined) return standing;
      if (deleted.has(accountId)) throw unknownAccount();
      return lookUp(accountId, signInId);
    },
    forget: (accountId) => void known.delete(accountId),
    forgetAll: () => known.clear(),
    bury(accountId) {
      deleted.set(accountId, true);
      known.delete(accountId);
    },
    get isEmpty() {
      return known.size === 0;
    },
  };
}

async function fetchStanding(auth: Client<typeof AuthService>, accountId: string, signInId: string): Promise<Standing> {
  try {
    const found = await auth.getStanding({ accountId, signInId }, { timeoutMs: lookupTimeoutMs });
    const { email, role, signInStands, signInsValidFrom } = found;
    const validFrom = signInsValidFrom === undefined ? 0 : timestampMs(signInsValidFrom) / 1000;
    return { email: email.toLowerCase(), role, signInStands, validFrom };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    if (error.code === 'not_found') throw unknownAccount();
    throw new MeshError('unavailable', 'accounts_unavailable', 'Accounts cannot be checked right now.', {
      cause: error,
    });
  }
}
