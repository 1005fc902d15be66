import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { type SignInRow, selectSignIns } from '../../store/sign-ins.ts';
import type { Handlers } from '../handlers.ts';

export function listSignIns({ db }: Context): Handlers['listSignIns'] {
  return async (request) => {
    const accountId = parseId(request.accountId);
    const rows = accountId === undefined ? [] : await selectSignIns(db, accountId);
    return { signIns: rows.map(signInRecord) };
  };
}

function signInRecord(row: SignInRow) {
  return {
    id: row.id,
    device: { userAgent: row.user_agent, address: row.address },
    createdAt: timestampFromDate(row.created_at),
    lastUsedAt: timestampFromDate(row.last_used_at),
    expiresAt: timestampFromDate(row.expires_at),
  };
}
