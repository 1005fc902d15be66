import { writeOutbox } from '@agentmesh/lib/bus';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { create, toBinary } from '@bufbuild/protobuf';
import { parseAccountId } from '../account-id.ts';
import type { Context } from '../context.ts';
import { findPermitted } from '../permitted-account.ts';
import { deleteAccount as deleteRow } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import { removeMailsTo } from '../store/mails.ts';
import type { AuthRpc } from './index.ts';

export function deleteAccount({ db, wakeOutbox }: Context): AuthRpc['deleteAccount'] {
  return async (request) => {
    const id =
      request.actorId === '' ? parseAccountId(request.id) : (await findPermitted(db, request, 'Not authorized')).id;
    if (id === undefined) return {};
    await db.transaction(async (tx) => {
      const email = await deleteRow(tx, id);
      if (email === undefined) return;
      await removeMailsTo(tx, email);
      await recordAction(tx, { action: 'account_deleted', accountId: id, actorId: parseAccountId(request.actorId) });
      await writeOutbox(tx, [accountDeleted(id)]);
    });
    wakeOutbox();
    return {};
  };
}

function accountDeleted(accountId: string) {
  const payload = toBinary(AccountDeletedSchema, create(AccountDeletedSchema, { accountId }));
  return { subject: 'agentmesh.auth.v1.account_deleted', payload };
}
