import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { parseAccountId } from '../../accounts/account-id.ts';
import type { Context } from '../../context.ts';
import { listSignIns as listRows, type SignInRow } from '../../store/sign-ins.ts';
import type { Handlers } from '../handlers.ts';

export function listSignIns({ db }: Context): Handlers['listSignIns'] {
  return async (request) => {
    const accountId = parseAccountId(request.accountId);
    const rows = accountId === undefined ? [] : await listRows(db, accountId);
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
