import type { Attempt } from '@agentmesh/lib/jobs';
import type { Context } from '../context.ts';
import { findRecipient, lockAccount, type RecipientRow } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import { beginHandingOver, cancelHandingOver, countRecentMails, upsertMailToken } from '../store/mail-tokens.ts';
import { hashMailToken } from '../tokens/mail-token.ts';
import { sendMail } from './send-mail.ts';
import { addressOf, composeMail } from './compose-mail.ts';
import type { MailKind } from './mail-kind.ts';
import { PostError } from './post.ts';

/** Most mails of one kind to one account in an hour. More are not sent, so that nobody can flood a mailbox. */
const mostAnHour = 5;

/** A mail that this process has taken. */
export interface TakenMail {
  readonly kind: MailKind;
  readonly address: string;
  /** Its `jobId` is the mail's id. */
  readonly attempt: Attempt;
}

/**
 * Makes one attempt to send a mail. No mail is sent twice: `handing_over_at` is committed before the server gets the last byte, and a
 * mail that stopped after that is not sent again. A mail that is written to a file again is the same file.
 *
 * Rejects when the mail was not sent: with PostError, or with an error of the database.
 */
export async function deliver(context: Context, mail: TakenMail): Promise<void> {
  const { db, log } = context;
  const recipient = await findRecipient(db, mail.address);
  if (recipient === undefined || (mail.kind === 'verify' && recipient.verified)) return;
  try {
    await send(context, mail, recipient);
  } catch (error) {
    const attempt = { mailId: mail.attempt.jobId, attempt: mail.attempt.number };
    if (error instanceof PostError && error.outcome === 'unknown') {
      return log.warn({ ...attempt, err: error }, 'a mail may have been sent: it is not sent again');
    }
    await cancelHandingOver(db, attempt);
    throw error;
  }
}

async function send(context: Context, mail: TakenMail, { id: accountId }: RecipientRow): Promise<void> {
  const { db, mail: out } = context;
  const { kind, address: to, attempt } = mail;
  const { jobId: id, addedAt: date, number } = attempt;
  const token = out.tokens.tokenOf(id);
  const life = lifeOf(context, kind);
  if (!(await admit(context, mail, { accountId, token, lifeSeconds: life.seconds }))) return;
  const { from, publicUrl } = out;
  const message = await composeMail({ id, kind, to, date, from, publicUrl, token, lifetime: life.text });
  const beforeEnd = (): Promise<boolean> => beginHandingOver(db, { mailId: id, attempt: number });
  await out.post.send(message, { id, from: addressOf(from), to, beforeEnd });
}

interface Admission {
  readonly accountId: string;
  readonly token: string;
  readonly lifeSeconds: number;
}

/** Stores the hash of the mail's token and records the mail. False when the mail must not be sent. */
function admit(context: Context, { kind, attempt }: TakenMail, admission: Admission): Promise<boolean> {
  const { db, jobs, log } = context;
  const { accountId, token, lifeSeconds } = admission;
  const mailId = attempt.jobId;
  const hash = hashMailToken(token);
  if (hash === undefined) throw new Error('a mail token has another shape than it should');
  return db.transaction(async (tx) => {
    // The lock orders this with other changes of the account: the count is exact, and a reset withdraws mail that waits.
    if (!(await lockAccount(tx, accountId)) || !(await jobs.isHeld(tx, sendMail, attempt))) return false;
    if ((await countRecentMails(tx, { accountId, kind, mailId })) >= mostAnHour) return false;
    const stored = { accountId, mailId, kind, hash, lifeSeconds, attempt: attempt.number };
    const outcome = await upsertMailToken(tx, stored);
    const action = kind === 'verify' ? 'verification_requested' : 'reset_requested';
    if (outcome === 'new') await recordAction(tx, { action, accountId });
    if (outcome !== 'handed_over') return true;
    log.warn({ mailId }, 'the process stopped while a mail may have been sent: it is not sent again');
    return false;
  });
}

function lifeOf({ config }: Context, kind: MailKind): { seconds: number; text: string } {
  const hours = config.EMAIL_VERIFY_TOKEN_EXPIRE_HOURS;
  const minutes = config.PASSWORD_RESET_TOKEN_EXPIRE_MINUTES;
  if (kind === 'verify') return { seconds: hours * 3_600, text: hours === 1 ? 'one hour' : `${hours} hours` };
  return { seconds: minutes * 60, text: minutes === 1 ? 'one minute' : `${minutes} minutes` };
}
