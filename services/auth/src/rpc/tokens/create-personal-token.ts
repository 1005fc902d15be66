import type { CreatePersonalTokenRequest } from '@agentmesh/proto/auth/v1';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { accountNotFound, personalTokenInvalid, personalTokenLimit } from '../../errors.ts';
import { enqueueNotice } from '../../mail/send-notice.ts';
import { isStorable } from '../../storable-text.ts';
import { selectAccount } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { insertPersonalToken, type PersonalTokenRow } from '../../store/personal-tokens.ts';
import { hashPersonalToken, mintPersonalToken } from '../../tokens/personal-token.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';

const maxTokens = 10_000;
const maxNameLength = 100;
const maxScopes = 50;
const maxUserIdBytes = 512;
const minLifeSeconds = 60;
const maxLifeSeconds = 366 * 24 * 60 * 60;
const scope = /^[a-z][a-z-]{0,31}:[a-z][a-z-]{0,31}$/;

export function createPersonalToken(context: Context): Handlers['createPersonalToken'] {
  return async (request) => {
    check(request);
    const accountId = parseId(request.accountId);
    if (accountId === undefined) throw accountNotFound();
    const secret = mintPersonalToken();
    const row = await store(context, { ...request, accountId, secret });
    if (row !== undefined) return { secret, token: personalTokenMessage(row) };
    throw (await selectAccount(context.db, accountId)) === undefined
      ? accountNotFound()
      : personalTokenLimit(maxTokens);
  };
}

function store(
  { db, jobs }: Context,
  { accountId, secret, name, userId, ...wanted }: CreatePersonalTokenRequest & { readonly secret: string },
): Promise<PersonalTokenRow | undefined> {
  const tokenHash = hashPersonalToken(secret);
  const scopes = [...new Set(wanted.scopes)].toSorted();
  const lifeSeconds = Number(wanted.lifeSeconds);
  return db.transaction(async (tx) => {
    const row = await insertPersonalToken(tx, { accountId, tokenHash, name, scopes, userId, lifeSeconds }, maxTokens);
    if (row !== undefined) {
      const detail = { token_id: row.id, scopes: scopes.join(' '), life_seconds: lifeSeconds };
      await recordAction(tx, { action: 'token_created', accountId, actorId: accountId, detail });
      const kind = userId === undefined ? 'token_created' : 'user_token_created';
      await enqueueNotice(tx, jobs, { accountId, kind });
    }
    return row;
  });
}

function check({ name, scopes, userId, lifeSeconds }: CreatePersonalTokenRequest): void {
  if (name.trim() === '' || name.length > maxNameLength || /\p{Cc}/u.test(name) || !isStorable(name)) {
    throw personalTokenInvalid(`A token has a name of 1 to ${maxNameLength} characters.`);
  }
  if (scopes.length === 0 || scopes.length > maxScopes || !scopes.every((text) => scope.test(text))) {
    throw personalTokenInvalid('A token has at least one scope.');
  }
  if (userId !== undefined && (userId === '' || Buffer.byteLength(userId) > maxUserIdBytes || !isStorable(userId))) {
    throw personalTokenInvalid('The user_id of a token is an id that a session can have.');
  }
  if (lifeSeconds < minLifeSeconds || lifeSeconds > maxLifeSeconds) {
    throw personalTokenInvalid('A token lives from a minute to 366 days.');
  }
}
