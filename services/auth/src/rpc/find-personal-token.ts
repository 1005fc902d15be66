import type { Context } from '../context.ts';
import { personalTokenNotFound } from '../errors.ts';
import { personalTokenMessage } from '../personal-token-message.ts';
import { usePersonalToken } from '../store/personal-tokens.ts';
import type { AuthRpc } from './index.ts';

export function findPersonalToken({ db }: Context): AuthRpc['findPersonalToken'] {
  return async ({ hash }) => {
    const row = await usePersonalToken(db, Buffer.from(hash));
    if (row === undefined) throw personalTokenNotFound();
    return { accountId: row.account_id, email: row.email, token: personalTokenMessage(row) };
  };
}
