import { findActor } from '../../accounts/permitted-account.ts';
import type { Context } from '../../context.ts';
import { recordAction } from '../../store/audit.ts';
import type { Handlers } from '../handlers.ts';

export function recordExport({ db }: Context): Handlers['recordExport'] {
  return async (request) => {
    const { id } = await findActor(db, request.accountId);
    await recordAction(db, { action: 'data_exported', accountId: id, actorId: id });
    return {};
  };
}
