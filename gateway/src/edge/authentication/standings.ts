import { MeshError } from '@agentmesh/lib/rpc';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AccountChanges } from './account-changes.ts';
import { createDirectory, type Directory } from './directory.ts';
import { unknownAccount } from './unauthorized.ts';

/** What decides whether an access token is good, beside its signature. */
export interface Standing {
  readonly accountId: string;
  /** In lower case. */
  readonly email: string;
  readonly role: string;
  /** The sign-in that was asked about has not ended. */
  readonly signInStands: boolean;
  /** Unix time in seconds: tokens without a sign-in that were issued before are refused. */
  readonly validFrom: number;
}

/** Of an account, and of one of its sign-ins. */
export const standingKey = (accountId: string, signInId = ''): string => `${accountId}/${signInId}`;

const timeoutMs = 5_000;

/** Looking up fails with 401 for an account that does not exist, and as unavailable when nobody can tell. */
export function createStandings(auth: Client<typeof AuthService>, changes: AccountChanges): Directory<Standing> {
  return createDirectory(async (key) => {
    const [accountId = '', signInId = ''] = key.split('/');
    if (changes.isBuried(accountId)) throw unknownAccount();
    const found = await auth.getStanding({ accountId, signInId }, { timeoutMs }).catch((error: unknown) => {
      throw unlessUnknown(error, unknownAccount);
    });
    const { email, role, signInStands, signInsValidFrom } = found;
    const validFrom = signInsValidFrom === undefined ? 0 : timestampMs(signInsValidFrom) / 1000;
    return { accountId, email: email.toLowerCase(), role, signInStands, validFrom };
  }, changes);
}

/** What to answer when auth answered an error: `unknown` for what it does not know, 503 for what it cannot tell. */
export function unlessUnknown(error: unknown, unknown: () => Error): unknown {
  if (!(error instanceof MeshError)) return error;
  if (error.code === 'not_found') return unknown();
  return new MeshError('unavailable', 'accounts_unavailable', 'Accounts cannot be checked right now.', {
    cause: error,
  });
}
