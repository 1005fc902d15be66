import type { ExportPart } from '../export-part.ts';
import { unary } from '../context.ts';
import { entryOf } from './audit/audit.ts';
import { signInJson } from './sign-in/sign-ins.ts';
import { personalTokenJson } from './tokens/personal-tokens.ts';
import { userOf } from './users/user-of.ts';

const pageSize = 200;

/** The account, its sign-ins, its personal tokens without their secrets, and its audit. */
export const accountExport: ExportPart = {
  kinds: ['account', 'sign_in', 'personal_token', 'action'],
  async *read({ auth }, { accountId, email, signInId }) {
    const { account } = await auth.getAccount({ id: accountId }, unary);
    yield { kind: 'account', data: { ...userOf(account), id: accountId } };
    const { signIns } = await auth.listSignIns({ accountId }, unary);
    for (const record of signIns) yield { kind: 'sign_in', data: signInJson(record, signInId) };
    for (let afterId = '', hasMore = true; hasMore; ) {
      const page = await auth.listPersonalTokens({ accountId, afterId, limit: pageSize }, unary);
      for (const token of page.tokens) yield { kind: 'personal_token', data: personalTokenJson(token) };
      afterId = page.tokens.at(-1)?.id ?? '';
      hasMore = page.hasMore;
    }
    const own = { actorId: accountId, account: { name: { case: 'email' as const, value: email } } };
    let beforePublicId = '';
    do {
      const page = await auth.listActions({ ...own, limit: pageSize, beforePublicId }, unary);
      for (const action of page.actions) yield { kind: 'action', data: entryOf(action) };
      beforePublicId = page.nextPublicId;
    } while (beforePublicId !== '');
  },
};
