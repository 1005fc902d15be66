import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { accountNotFound } from '../../errors.ts';
import { findStanding } from '../../store/standings.ts';
import type { Handlers } from '../handlers.ts';

export function getStanding({ db }: Context): Handlers['getStanding'] {
  return async (request) => {
    const accountId = parseId(request.accountId);
    if (accountId === undefined) throw accountNotFound();
    const row = await findStanding(db, { accountId, signInId: parseId(request.signInId) });
    if (row === undefined) throw accountNotFound();
    const { email, role, sign_in_stands: signInStands, sign_ins_valid_from: validFrom } = row;
    return {
      email,
      role,
      signInStands,
      ...(validFrom !== null && { signInsValidFrom: timestampFromDate(validFrom) }),
    };
  };
}
