import type { Context } from '../../context.ts';
import { personalTokenNotFound } from '../../errors.ts';
import { usePersonalToken } from '../../store/personal-tokens.ts';
import { personalTokenMessage } from '../../tokens/personal-token-message.ts';
import type { Handlers } from '../handlers.ts';

export function findPersonalToken({ db }: Context): Handlers['findPersonalToken'] {
  return async ({ hash }) => {
    const row = await usePersonalToken(db, Buffer.from(hash));
    if (row === undefined) throw personalTokenNotFound();
    return { accountId: row.account_id, email: row.email, token: personalTokenMessage(row) };
  };
}
