import { writeOutbox } from '@agentmesh/lib/bus';
import { deleteAccountKeys } from '@agentmesh/lib/idempotency';
import type { Jobs } from '@agentmesh/lib/jobs';
import type { Transaction } from '@agentmesh/lib/pg';
import { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import { parseId } from '../../accounts/parse-id.ts';
import { findPermitted } from '../../accounts/permitted-account.ts';
import { sendAnswerLink } from '../../answer-links/send-answer-link.ts';
import type { Context } from '../../context.ts';
import { erasingServices } from '../../erasure/erasing-services.ts';
import { hashReceipt, mintReceipt } from '../../erasure/receipt.ts';
import { withdrawMails } from '../../mail/send-mail.ts';
import { sendNotice } from '../../mail/send-notice.ts';
import { deleteAccountRows } from '../../store/accounts.ts';
import { recordAction } from '../../store/audit.ts';
import { insertErasure } from '../../store/erasures.ts';
import { deleteAnswerTokens, selectMailIds } from '../../store/mail-tokens.ts';
import { deleteAccountNotices } from '../../store/notices.ts';
import type { Handlers } from '../handlers.ts';

export function deleteAccount(context: Context): Handlers['deleteAccount'] {
  const { config, db, jobs, log, mail, wakeOutbox } = context;
  return async (request) => {
    const id = await accountToDelete(context, request);
    if (id === undefined) return {};
    const actorId = parseId(request.actorId);
    // Before the commit: if the deletion stops between the two, the account still exists and can ask again.
    const withdrawal = mail.post.withdraw([...(await selectMailIds(db, id)), ...(await deleteAccountNotices(db, id))]);
    await withdrawal.catch((err: unknown) =>
      log.warn({ err }, 'mail files of a deleted account could not be removed from DATA_DIR/outbox'),
    );
    const tells = config.SMTP_URL !== undefined;
    const receipt = await db.forLongWork().transaction((tx) => erase(tx, { id, actorId, jobs, tells }));
    wakeOutbox();
    return receipt === undefined ? {} : { receipt, accountId: id };
  };
}

type DeleteAccountRequest = Parameters<Handlers['deleteAccount']>[0];

async function accountToDelete({ db }: Context, request: DeleteAccountRequest): Promise<string | undefined> {
  if (request.actorId === '') return parseId(request.id);
  return (await findPermitted(db, request, 'Not authorized')).id;
}

interface Deletion {
  readonly id: string;
  readonly actorId: string | undefined;
  readonly jobs: Jobs;
  /** Sends a mail about it to a proven address. Not where mails are kept as files: the address must not stay. */
  readonly tells: boolean;
}

/** Deletes an account in auth and begins its erasure in the other services. Returns the receipt; undefined when the account was gone. */
async function erase(tx: Transaction, { id, actorId, jobs, tells }: Deletion): Promise<string | undefined> {
  const erased = await deleteAccountRows(tx, id);
  if (erased === undefined) return undefined;
  const notices = await jobs.remove(tx, { accountId: id }, sendNotice);
  const links = await jobs.remove(tx, { accountId: id }, sendAnswerLink);
  await deleteAnswerTokens(tx, id);
  const mails = notices + links + (await withdrawMails(tx, jobs, { address: erased.email }));
  await deleteAccountNotices(tx, id);
  await deleteAccountKeys(tx, id);
  if (tells && erased.verified) {
    await jobs.add(tx, sendNotice, [{ payload: { kind: 'account_deleted', address: erased.email } }]);
  }
  const receipt = mintReceipt();
  const receiptHash = hashReceipt(receipt);
  if (receiptHash === undefined) throw new Error('a receipt has another shape than it should');
  const own = { ...erased.counts, mails };
  await insertErasure(tx, { accountId: id, receiptHash, own, services: erasingServices });
  await recordAction(tx, { action: 'account_deleted', accountId: id, actorId });
  await writeOutbox(tx, AccountDeletedSchema, [{ accountId: id }]);
  return receipt;
}
