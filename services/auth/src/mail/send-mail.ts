import { defineTask, type Jobs } from '@agentmesh/lib/jobs';
import type { Queryable } from '@agentmesh/lib/pg';
import type { MailKind } from '../store/mail-tokens.ts';

/** A mail to an address in normal form, which may have no account. Its id is the job's: Message-ID, file name and token follow from it. */
export interface MailRequest {
  readonly kind: MailKind;
  readonly address: string;
}

/** Workers poll and are not woken by requests, so the time of an answer does not tell whether a mail is sent. */
export const sendMail = defineTask<MailRequest>({
  name: 'send-mail',
  read: readRequest,
  retrySeconds: [5, 30, 120, 600, 1_800, 3_600, 7_200],
  mostAttempts: 8,
  timeoutSeconds: 120,
  atOnce: 4,
  pollSeconds: 8,
  personal: true,
});

function readRequest(payload: unknown): MailRequest {
  const { kind, address } = payload as Partial<MailRequest>;
  if ((kind !== 'verify' && kind !== 'reset') || typeof address !== 'string') throw new TypeError('not a mail');
  return { kind, address };
}

/** Asks for a mail, with one statement; costs the same whether the address has an account or not. */
export function enqueueMail(db: Queryable, jobs: Jobs, request: MailRequest): Promise<void> {
  return jobs.add(db, sendMail, [{ payload: request }]);
}

/** Withdraws mails that have not left: all to an address, or those of one kind. Answers how many there were. */
export function withdrawMails(
  db: Queryable,
  jobs: Jobs,
  request: Pick<MailRequest, 'address'> & Partial<MailRequest>,
): Promise<number> {
  return jobs.remove(db, request, sendMail);
}
