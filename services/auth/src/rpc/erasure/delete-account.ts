import { writeOutbox } from '@agentmesh/lib/bus';
import type { Transaction } from '@agentmesh/lib/pg';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { parseAccountId } from '../../accounts/account-id.ts';
import { findPermitted } from '../../accounts/permitted-account.ts';
import type { Context } from '../../context.ts';
import { erasingServices } from '../../erasure/erasing-services.ts';
import { hashReceipt, mintReceipt } from '../../erasure/receipt.ts';
import { eraseOwn } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { insertErasure } from '../../store/erasures.ts';
import { mailsOf } from '../../store/mail-tokens.ts';
import { removeMailsTo } from '../../store/mails.ts';
import type { Handlers } from '../handlers.ts';

export function deleteAccount(context: Context): Handlers['deleteAccount'] {
  const { db, log, mail, wakeOutbox } = context;
  return async (request) => {
    const id = await accountToDelete(context, request);
    if (id === undefined) return {};
    const actorId = parseAccountId(request.actorId);
    // Before the commit: of a deletion that is cut off in between, the account can ask again.
    const withdrawal = mail.post.withdraw(await mailsOf(db, id));
    await withdrawal.catch((err: unknown) =>
      log.warn({ err }, 'mail of a deleted account is still in DATA_DIR/outbox'),
    );
    const receipt = await db.transaction((tx) => erase(tx, id, actorId));
    wakeOutbox();
    return receipt === undefined ? {} : { receipt };
  };
}

type DeleteAccountRequest = Parameters<Handlers['deleteAccount']>[0];

async function accountToDelete({ db }: Context, request: DeleteAccountRequest): Promise<string | undefined> {
  if (request.actorId === '') return parseAccountId(request.id);
  return (await findPermitted(db, request, 'Not authorized')).id;
}

/** Erases what auth has of an account and begins its erasure elsewhere; its receipt, or undefined when it was gone. */
async function erase(tx: Transaction, id: string, actorId: string | undefined): Promise<string | undefined> {
  const erased = await eraseOwn(tx, id);
  if (erased === undefined) return undefined;
  const mails = await removeMailsTo(tx, erased.email);
  const receipt = mintReceipt();
  const receiptHash = hashReceipt(receipt);
  if (receiptHash === undefined) throw new Error('a receipt has another shape than it should');
  const own = { ...erased.counts, mails };
  await insertErasure(tx, { accountId: id, receiptHash, own, services: erasingServices });
  await recordAction(tx, { action: 'account_deleted', accountId: id, actorId });
  await writeOutbox(tx, AccountDeletedSchema, [{ accountId: id }]);
  return receipt;
}
