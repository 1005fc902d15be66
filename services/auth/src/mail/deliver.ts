import type { Attempt } from '@agentmesh/lib/jobs';
import type { Config } from '../config.ts';
import { findRecipient } from '../store/accounts.ts';
import { recordAction } from '../store/audit.ts';
import { sendMail } from './send-mail.ts';
import { composeMail } from './compose-mail.ts';
import type { MailKind } from '../store/mail-tokens.ts';
import { type Mailing, sendWithToken } from './send-with-token.ts';

const mostAnHour = 5;

interface Context extends Mailing {
  readonly config: Config;
}

/** A mail that this process has taken. */
export interface TakenMail {
  readonly kind: MailKind;
  readonly address: string;
  /** Its `jobId` is the mail's id. */
  readonly attempt: Attempt;
}

/** Makes one attempt to send a mail to an address, if it has an account that needs it. Rejects as `sendWithToken`. */
export async function deliver(context: Context, { kind, address, attempt }: TakenMail): Promise<void> {
  const recipient = await findRecipient(context.db, address);
  if (recipient === undefined || (kind === 'verify' && recipient.verified)) return;
  const accountId = recipient.id;
  const life = lifeOf(context, kind);
  const { publicUrl } = context.mail;
  const action = kind === 'verify' ? 'verification_requested' : 'reset_requested';
  await sendWithToken(context, {
    kind,
    accountId,
    to: address,
    task: sendMail,
    attempt,
    lifeSeconds: life.seconds,
    mostAnHour,
    admitted: (tx) => recordAction(tx, { action, accountId }),
    compose: (message) => composeMail({ ...message, kind, publicUrl, lifetime: life.text }),
  });
}

function lifeOf({ config }: Context, kind: MailKind): { seconds: number; text: string } {
  const hours = config.EMAIL_VERIFY_TOKEN_EXPIRE_HOURS;
  const minutes = config.PASSWORD_RESET_TOKEN_EXPIRE_MINUTES;
  if (kind === 'verify') return { seconds: hours * 3_600, text: hours === 1 ? 'one hour' : `${hours} hours` };
  return { seconds: minutes * 60, text: minutes === 1 ? 'one minute' : `${minutes} minutes` };
}
