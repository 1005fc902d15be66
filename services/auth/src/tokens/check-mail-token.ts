import type { Queryable } from '@agentmesh/lib/pg';
import { mailTokenInvalid, mailTokenOfOtherKind } from '../errors.ts';
import { findMailToken, type MailKind } from '../store/mail-tokens.ts';
import { hashMailToken } from './mail-token.ts';

export interface CheckedMailToken {
  readonly accountId: string;
  readonly hash: Buffer;
  readonly used: boolean;
}

/**
 * Finds the account of a mailed token that has not expired and was mailed for this purpose.
 *
 * @throws MeshError unauthenticated `mail_token_invalid`, `mail_token_kind`
 */
export async function checkMailToken(db: Queryable, token: string, kind: MailKind): Promise<CheckedMailToken> {
  const hash = hashMailToken(token);
  const found = hash === undefined ? undefined : await findMailToken(db, hash);
  if (hash === undefined || found === undefined) throw mailTokenInvalid();
  if (found.kind !== kind) throw mailTokenOfOtherKind();
  return { accountId: found.account_id, hash, used: found.used };
}
