import { fromBinary } from '@bufbuild/protobuf';
import { RunWaitSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../../context.ts';
import { answerLinkNotFound } from '../../errors.ts';
import { findAnswerToken } from '../../store/mail-tokens.ts';
import { hashMailToken } from '../../tokens/mail-token.ts';
import type { Handlers } from '../handlers.ts';

/** Returns what a mailed token answers. */
export function findAnswerLink({ db }: Context): Handlers['findAnswerLink'] {
  return async ({ token }) => {
    const hash = hashMailToken(token);
    const found = hash && (await findAnswerToken(db, hash));
    if (found === undefined) throw answerLinkNotFound();
    const { account_id: accountId, wait, expired: isExpired } = found;
    return { accountId, wait: fromBinary(RunWaitSchema, wait), isExpired };
  };
}
