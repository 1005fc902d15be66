import type { Transaction } from '@agentmesh/lib/pg';
import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt';
import { accountNotFound, callerRevoked } from '../errors.ts';
import { lockAccount } from '../store/accounts.ts';
import { findStanding, type StandingRow } from '../store/standings.ts';
import { parseId } from './parse-id.ts';

/** The access token of a request, as the gateway passes it on. An earlier gateway passes nothing, and is not checked. */
export interface Caller {
  /** Claim `sid`; empty when it has none. */
  readonly signInId: string;
  /** Claim `iat`. */
  readonly issuedAt?: Timestamp | undefined;
}

/**
 * Locks the account of a caller until the transaction ends, and checks that the caller's access token has not ended. A gateway hears up to a second later
 * that it has, and what the caller makes would outlive what has ended it. Throws MeshError not_found `account_not_found` and unauthenticated
 * `session_revoked`.
 */
export async function lockForCaller(tx: Transaction, accountId: string, caller: Caller): Promise<void> {
  if (!(await lockAccount(tx, accountId))) throw accountNotFound();
  if (caller.signInId === '' && caller.issuedAt === undefined) return;
  const standing = await findStanding(tx, { accountId, signInId: parseId(caller.signInId) });
  if (standing === undefined || !stands(standing, caller)) throw callerRevoked();
}

/** The same check as the gateway's. */
function stands({ sign_in_stands: isStanding, sign_ins_valid_from: from }: StandingRow, caller: Caller): boolean {
  if (caller.signInId !== '') return isStanding;
  return caller.issuedAt !== undefined && timestampMs(caller.issuedAt) >= (from?.getTime() ?? 0);
}
