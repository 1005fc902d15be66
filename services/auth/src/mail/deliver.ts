import type { Context } from '../context.ts';
import { findRecipient, lockAccount, type RecipientRow } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import { countRecentMails, saveMailToken } from '../store/mail-tokens.ts';
import { beginHandingOver, buryMail, isHeld, postponeMail, removeMail, type TakenMail } from '../store/mails.ts';
import { hashMailToken } from '../tokens/mail-token.ts';
import { addressOf, composeMail } from './compose-mail.ts';
import { PostError } from './post.ts';

/** Seconds until the next attempt. After the last one the mail is given up. */
const pauses = [5, 30, 120, 600, 1_800, 3_600, 7_200];
/** Most mails of one kind to one account in an hour. More are not sent, so that nobody can flood a mailbox. */
const mostAnHour = 5;

/**
 * Makes one attempt to send a mail. No mail is sent twice: `handing_over` is committed before the server gets the last byte, and a mail
 * that stopped after that is not sent again. A mail that is written to a file again is the same file.
 */
export async function deliver(context: Context, mail: TakenMail): Promise<void> {
  const { db, log } = context;
  if (mail.in_doubt) {
    log.warn({ mailId: mail.id }, 'the worker stopped while a mail may have been sent: it is not sent again');
    return removeMail(db, mail);
  }
  const recipient = await findRecipient(db, mail.address);
  if (recipient === undefined || (mail.kind === 'verify' && recipient.verified)) return removeMail(db, mail);
  try {
    await send(context, mail, recipient);
    await removeMail(db, mail);
  } catch (error) {
    await retryOrBury(context, mail, error);
  }
}

async function send(context: Context, mail: TakenMail, { id: accountId }: RecipientRow): Promise<void> {
  const { db, mail: out } = context;
  const { id, kind, address: to, created_at: date } = mail;
  const token = out.tokens.tokenOf(id);
  const life = lifeOf(context, kind);
  if (!(await admit(context, mail, { accountId, token, lifeSeconds: life.seconds }))) return;
  const { from, publicUrl } = out;
  const message = await composeMail({ id, kind, to, date, from, publicUrl, token, lifetime: life.text });
  await out.post.send(message, { id, from: addressOf(from), to, beforeEnd: () => beginHandingOver(db, mail) });
}

interface Admission {
  readonly accountId: string;
  readonly token: string;
  readonly lifeSeconds: number;
}

/** Stores the hash of the mail's token and records the mail. False when it was withdrawn, or at the limit of mails in an hour. */
function admit({ db }: Context, mail: TakenMail, { accountId, token, lifeSeconds }: Admission): Promise<boolean> {
  const { id: mailId, kind, attempts } = mail;
  const hash = hashMailToken(token);
  if (hash === undefined) throw new Error('a mail token has another shape than it should');
  return db.transaction(async (tx) => {
    // The lock orders this with other changes of the account: the count is exact, and a reset withdraws mail that waits.
    if (!(await lockAccount(tx, accountId)) || !(await isHeld(tx, mail))) return false;
    if ((await countRecentMails(tx, { accountId, kind, mailId })) >= mostAnHour) return false;
    await saveMailToken(tx, { accountId, mailId, kind, hash, lifeSeconds });
    const action = kind === 'verify' ? 'verification_requested' : 'reset_requested';
    if (attempts === 1) await recordAction(tx, { action, accountId });
    return true;
  });
}

function lifeOf({ config }: Context, kind: TakenMail['kind']): { seconds: number; text: string } {
  const hours = config.EMAIL_VERIFY_TOKEN_EXPIRE_HOURS;
  const minutes = config.PASSWORD_RESET_TOKEN_EXPIRE_MINUTES;
  if (kind === 'verify') return { seconds: hours * 3_600, text: hours === 1 ? 'one hour' : `${hours} hours` };
  return { seconds: minutes * 60, text: minutes === 1 ? 'one minute' : `${minutes} minutes` };
}

async function retryOrBury({ db, log }: Context, mail: TakenMail, error: unknown): Promise<void> {
  const outcome = error instanceof PostError ? error.outcome : 'later';
  const told = { err: error, mailId: mail.id, attempts: mail.attempts };
  const pause = pauses[mail.attempts - 1];
  if (outcome === 'unknown') {
    log.warn(told, 'a mail may have been sent: it is not sent again');
    return removeMail(db, mail);
  }
  if (outcome === 'refused' || pause === undefined) {
    log.error(told, 'a mail could not be sent and is given up');
    return buryMail(db, mail);
  }
  log.warn({ ...told, pause }, 'a mail could not be sent; there will be another attempt');
  return postponeMail(db, mail, pause);
}
