import type { Transaction } from '@agentmesh/lib/pg';
import type { Context } from '../../context.ts';
import { personalTokenLimit } from '../../errors.ts';
import { enqueueNotice } from '../../mail/send-notice.ts';
import { recordAction } from '../../store/audit.ts';
import { insertPersonalToken, type NewPersonalToken, type PersonalTokenRow } from '../../store/personal-tokens.ts';
import { hashPersonalToken, mintPersonalToken } from '../../tokens/personal-token.ts';

const maxTokens = 10_000;

/**
 * Makes a personal token, records that in the audit and tells the account by mail. Lock the account before it: then the limits of tokens and of the
 * audit see what calls at the same time have stored. Throws MeshError failed_precondition `personal_token_limit`.
 */
export async function addPersonalToken(
  tx: Transaction,
  jobs: Context['jobs'],
  wanted: Omit<NewPersonalToken, 'tokenHash'>,
): Promise<{ readonly secret: string; readonly row: PersonalTokenRow }> {
  const { accountId, userId, lifeSeconds } = wanted;
  const secret = mintPersonalToken();
  const scopes = [...new Set(wanted.scopes)].toSorted();
  const row = await insertPersonalToken(tx, { ...wanted, scopes, tokenHash: hashPersonalToken(secret) }, maxTokens);
  if (row === undefined) throw personalTokenLimit(maxTokens);
  const detail = { token_id: row.id, scopes: scopes.join(' '), life_seconds: lifeSeconds };
  await recordAction(tx, { action: 'token_created', accountId, actorId: accountId, detail });
  const kind = userId === undefined ? 'token_created' : 'user_token_created';
  await enqueueNotice(tx, jobs, { accountId, kind });
  return { secret, row };
}
