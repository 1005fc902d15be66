import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import { findActor, findPermitted } from '../../accounts/permitted-account.ts';
import { parseId } from '../../accounts/parse-id.ts';
import type { Context } from '../../context.ts';
import { type AuditRow, selectActions } from '../../store/audit.ts';
import type { Handlers } from '../handlers.ts';

const maxLimit = 200;

export function listActions({ db }: Context): Handlers['listActions'] {
  return async (request) => {
    const limit = Math.min(Math.max(request.limit, 1), maxLimit);
    const accountId = await accountToList(db, request);
    const before = request.beforePublicId === '' ? undefined : parseId(request.beforePublicId);
    if (request.beforePublicId !== '' && before === undefined) return {};
    const rows = await selectActions(db, { accountId, before, limit: limit + 1 });
    const page = rows.slice(0, limit);
    const last = rows.length > limit ? page.at(-1) : undefined;
    return { actions: page.map(actionMessage), ...(last && { nextPublicId: last.public_id }) };
  };
}

type ListActionsRequest = Parameters<Handlers['listActions']>[0];

/** Undefined: all accounts, for admins. */
async function accountToList(db: Context['db'], request: ListActionsRequest): Promise<string | undefined> {
  if (request.account !== undefined) return (await findPermitted(db, request, 'Not allowed')).id;
  const actor = await findActor(db, request.actorId);
  return actor.role === 'ADMIN' ? undefined : actor.id;
}

function actionMessage(row: AuditRow) {
  return {
    id: row.id,
    publicId: row.public_id,
    accountId: row.account_id ?? '',
    actorId: row.actor_id ?? '',
    action: row.action,
    detailJson: row.detail,
    at: timestampFromDate(row.at),
  };
}
