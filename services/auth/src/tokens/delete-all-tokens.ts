import type { Transaction } from '@agentmesh/lib/pg';
import { deleteApprovedDeviceSignIns } from '../store/device-sign-ins.ts';
import { deletePersonalTokens } from '../store/personal-tokens.ts';

/** Deletes the personal tokens of an account, and the approvals of programs that have not fetched theirs. Returns the number of tokens. */
export async function deleteAllTokens(tx: Transaction, accountId: string): Promise<number> {
  // First: a program that fetches its token at this moment has stored it when its approval is gone.
  await deleteApprovedDeviceSignIns(tx, accountId);
  return deletePersonalTokens(tx, { accountId });
}
