import type { Attempt, Jobs, TaskRules } from '@agentmesh/lib/jobs';
import type { Database, Transaction } from '@agentmesh/lib/pg';
import type { Logger } from '@agentmesh/lib/telemetry';
import { lockAccount } from '../store/accounts.ts';
import {
  beginHandingOver,
  cancelHandingOver,
  countRecentMails,
  type TokenKind,
  upsertMailToken,
} from '../store/mail-tokens.ts';
import { hashMailToken } from '../tokens/mail-token.ts';
import { addressOf } from './compose-mail.ts';
import type { Mail } from './open-mail.ts';
import { PostError } from './post.ts';

/** Surroundings of account mail. */
export interface Mailing {
  readonly db: Database;
  readonly jobs: Jobs;
  readonly log: Logger;
  readonly mail: Mail;
}

/** A mail with a token in its link that this process has taken. */
export interface TokenMail {
  readonly kind: TokenKind;
  readonly accountId: string;
  readonly to: string;
  /** The task of the job, and the attempt at it. Its `jobId` is the mail's id. */
  readonly task: TaskRules;
  readonly attempt: Attempt;
  readonly lifeSeconds: number;
  /** Most mails of this kind to the account in an hour. More are not sent, so that nobody can flood a mailbox. */
  readonly mostAnHour: number;
  /** See NewMailToken. */
  readonly wait?: Uint8Array;
  /** Called in the transaction that stores the token, for the first attempt. */
  admitted?(tx: Transaction): Promise<void>;
  compose(message: Message): Promise<Buffer>;
}

interface Message {
  readonly id: string;
  readonly to: string;
  readonly from: string;
  readonly date: Date;
  readonly token: string;
}

/**
 * Makes one attempt to send a mail. No mail is sent twice: `handing_over_at` is committed before the server gets the last byte, and a
 * mail that stopped after that is not sent again. A mail that is written to a file again is the same file.
 *
 * Rejects when the mail was not sent: with PostError, or with an error of the database.
 */
export async function sendWithToken(context: Mailing, mail: TokenMail): Promise<void> {
  const { db, log } = context;
  try {
    await send(context, mail);
  } catch (error) {
    const attempt = { mailId: mail.attempt.jobId, attempt: mail.attempt.number };
    if (error instanceof PostError && error.outcome === 'unknown') {
      return log.warn({ ...attempt, err: error }, 'a mail may have been sent: it is not sent again');
    }
    await cancelHandingOver(db, attempt);
    throw error;
  }
}

async function send(context: Mailing, mail: TokenMail): Promise<void> {
  const { db, mail: out } = context;
  const { to, attempt } = mail;
  const { jobId: id, addedAt: date, number } = attempt;
  const token = out.tokens.tokenOf(id);
  if (!(await admit(context, mail, token))) return;
  const { from } = out;
  const message = await mail.compose({ id, to, date, from, token });
  const beforeEnd = (): Promise<boolean> => beginHandingOver(db, { mailId: id, attempt: number });
  await out.post.send(message, { id, from: addressOf(from), to, beforeEnd });
}

/** Stores the hash of the mail's token. False when the mail must not be sent. */
function admit({ db, jobs, log }: Mailing, mail: TokenMail, token: string): Promise<boolean> {
  const { kind, accountId, attempt, lifeSeconds, wait, task } = mail;
  const mailId = attempt.jobId;
  const hash = hashMailToken(token);
  if (hash === undefined) throw new Error('a mail token has another shape than it should');
  return db.transaction(async (tx) => {
    // The lock orders this with other changes of the account: the count is exact, and a reset withdraws mail that waits.
    if (!(await lockAccount(tx, accountId)) || !(await jobs.isHeld(tx, task, attempt))) return false;
    if ((await countRecentMails(tx, { accountId, kind, mailId })) >= mail.mostAnHour) return false;
    const stored = { accountId, mailId, kind, hash, lifeSeconds, attempt: attempt.number, wait };
    const outcome = await upsertMailToken(tx, stored);
    if (outcome === 'new') await mail.admitted?.(tx);
    if (outcome !== 'handed_over') return true;
    log.warn({ mailId }, 'the process stopped while a mail may have been sent: it is not sent again');
    return false;
  });
}
