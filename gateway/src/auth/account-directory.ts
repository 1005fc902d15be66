import type { AuthService } from '@agentmesh/proto/auth/v1';
import { MeshError } from '@agentmesh/lib/rpc';
import type { Client } from '@connectrpc/connect';
import { LRUCache } from 'lru-cache';
import type { Identity } from './identity.ts';
import { unknownAccount } from './unauthorized.ts';

/** Which accounts exist, remembered for a minute or until the bus says otherwise. */
export interface AccountDirectory {
  /** Fails with 401 for an account that does not exist, and as unavailable when nobody can tell. */
  find(accountId: string): Identity | Promise<Identity>;
  /** The account was deleted. Ids are never used again, so this one stays refused. */
  forget(accountId: string): void;
}

const rememberedAccounts = 50_000;
const rememberedMs = 60_000;
const lookupTimeoutMs = 5_000;

export function createAccountDirectory(auth: Client<typeof AuthService>): AccountDirectory {
  const known = new LRUCache<string, Identity>({ max: rememberedAccounts, ttl: rememberedMs });
  const deleted = new LRUCache<string, true>({ max: rememberedAccounts });
  const lookups = new Map<string, Promise<Identity>>();

  async function lookUp(accountId: string): Promise<Identity> {
    try {
      const identity = await fetchIdentity(auth, accountId);
      if (deleted.has(accountId)) throw unknownAccount();
      known.set(accountId, identity);
      return identity;
    } finally {
      lookups.delete(accountId);
    }
  }

  return {
    find(accountId) {
      const identity = known.get(accountId) ?? lookups.get(accountId);
      if (identity !== undefined) return identity;
      if (deleted.has(accountId)) throw unknownAccount();
      const lookup = lookUp(accountId);
      lookups.set(accountId, lookup);
      return lookup;
    },
    forget(accountId) {
      deleted.set(accountId, true);
      known.delete(accountId);
    },
  };
}

async function fetchIdentity(auth: Client<typeof AuthService>, id: string): Promise<Identity> {
  try {
    const { account } = await auth.getAccount({ id }, { timeoutMs: lookupTimeoutMs });
    return { accountId: id, email: (account?.email ?? '').toLowerCase(), role: account?.role ?? 'USER' };
  } catch (error) {
    if (!(error instanceof MeshError)) throw error;
    if (error.code === 'not_found') throw unknownAccount();
    throw new MeshError('unavailable', 'accounts_unavailable', 'Accounts cannot be checked right now.', {
      cause: error,
    });
  }
}
