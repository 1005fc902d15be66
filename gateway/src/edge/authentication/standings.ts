import { MeshError } from '@agentmesh/lib/rpc';
import type { AuthService } from '@agentmesh/proto/auth/v1';
import { timestampMs } from '@bufbuild/protobuf/wkt';
import type { Client } from '@connectrpc/connect';
import type { AccountChanges } from './account-changes.ts';
import { createDirectory, type Directory } from './directory.ts';
import { unknownAccount } from './unauthorized.ts';

/** State of an account that decides, beside the signature, whether an access token is valid. */
export interface Standing {
  readonly accountId: string;
  /** In lower case. */
  readonly email: string;
  readonly role: string;
  /** False if the sign-in that was asked about has ended. */
  readonly signInStands: boolean;
  /** Unix time in seconds. Tokens without a sign-in that were issued before it are refused. */
  readonly validFrom: number;
}

/** Cache key of an account and one of its sign-ins. */
export const standingKey = (accountId: string, signInId = ''): string => `${accountId}/${signInId}`;

const timeoutMs = 5_000;

/** A look-up fails with 401 for an unknown account, and as `unavailable` if auth cannot be asked. */
export function createStandings(auth: Client<typeof AuthService>, changes: AccountChanges): Directory<Standing> {
  return createDirectory(async (key) => {
    const [accountId = '', signInId = ''] = key.split('/');
    const found = await auth.getStanding({ accountId, signInId }, { timeoutMs }).catch((error: unknown) => {
      throw unlessUnknown(error, unknownAccount);
    });
    const { email, role, signInStands, signInsValidFrom } = found;
    const validFrom = signInsValidFrom === undefined ? 0 : timestampMs(signInsValidFrom) / 1000;
    return { accountId, email: email.toLowerCase(), role, signInStands, validFrom };
  }, changes);
}

/** Error to answer when auth failed: `unknown` for not_found, else `unavailable`. */
export function unlessUnknown(error: unknown, unknown: () => Error): unknown {
  if (!(error instanceof MeshError)) return error;
  if (error.code === 'not_found') return unknown();
  return new MeshError('unavailable', 'accounts_unavailable', 'Accounts cannot be checked right now.', {
    cause: error,
  });
}
