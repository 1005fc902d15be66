import type { Job } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { sendMail } from '../mail/send-mail.ts';
import { takeFormerMails } from '../store/mails.ts';

const pauseMs = 10_000;

/** Moves mails of the table `mails`, the queue of former releases, whose replicas may still run beside this one. */
export function createMoveFormerMails(context: Context): Job {
  return { pauseMs, failure: 'the former queue of mails cannot be read', run: () => moveFormerMails(context) };
}

/** One round: moves the mails that are due. One that may have left is not sent again. */
export async function moveFormerMails({ db, jobs, log }: Context): Promise<void> {
  await db.transaction(async (tx) => {
    const mails = await takeFormerMails(tx);
    const waiting = mails.filter((mail) => !mail.may_have_left);
    await jobs.add(
      tx,
      sendMail,
      waiting.map(({ id, kind, address }) => ({ id, payload: { kind, address } })),
    );
    for (const { id } of mails.filter((mail) => mail.may_have_left)) {
      log.warn({ mailId: id }, 'the process stopped while a mail may have been sent: it is not sent again');
    }
  });
}
