import { attachmentNames } from '../../attachments/attachment-names.ts';
import type { Mail, MailAt } from '../../provider/mail.ts';
import { ProviderError } from '../../provider/provider-error.ts';
import { cleanText, cutText } from '../../safety/clean-text.ts';
import { isSenderAllowed } from '../../safety/sender-allowed.ts';
import { holdReading, type Reading } from '../../../store/readings.ts';
import type { DueLog } from '../../../store/due-logs.ts';
import { restoreLogMessage, updateLogEnded, updateLogPrepared } from '../../../store/log-steps.ts';
import { renderTemplate } from '../../template/render-template.ts';
import { mailAccountOf } from '../../provider/mail-account-of.ts';
import { skipReason } from './examine-mail.ts';
import { mailValues } from './mail-values.ts';
import type { Processor } from '../processor.ts';

/**
 * Fetches the mail of a log and writes the agent's message. Answers the message; undefined when the mail is skipped, or when its subscription was disabled
 * meanwhile, which the next look at the log finds. A mail that the provider no
 * longer has, and that its owner has triggered again, gives the message of the former round.
 */
export async function prepareLog(processor: Processor, reading: Reading, log: DueLog, signal: AbortSignal) {
  const at: MailAt = { mailAccount: mailAccountOf(log), messageId: log.message_id, signal };
  try {
    // A deleted mail cannot be fetched.
    const mail = log.change_type === 'deleted' ? undefined : await processor.providers.of(log.provider).fetchMail(at);
    return await prepare(processor, reading, { log, mail });
  } catch (error) {
    const isGone = error instanceof ProviderError && (error.kind === 'not_found' || error.kind === 'gone');
    if (!isGone || !mayRepeat(log)) throw error;
    return repeat(processor, reading, log);
  }
}

/** The former message passed the checks of its time. The authentication of its sender cannot be checked without the mail. */
function mayRepeat(log: DueLog): boolean {
  if (log.former_message === null || log.require_authentication === true) return false;
  return isSenderAllowed(log.allowed_senders ?? [], log.sender_address ?? undefined);
}

async function repeat({ db }: Processor, reading: Reading, log: DueLog) {
  await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    await restoreLogMessage(tx, { accountId: log.account_id, id: log.id });
  });
  return { message: log.former_message ?? '', senderAddress: log.sender_address, subject: log.email_subject };
}

interface Fetched {
  readonly log: DueLog;
  /** Undefined: it was deleted. */
  readonly mail: Mail | undefined;
}

async function prepare(processor: Processor, reading: Reading, { log, mail }: Fetched) {
  const { db, clock, providers } = processor;
  const reason = mail === undefined ? undefined : skipReason(mail, log, providers.of(log.provider));
  const message = reason === undefined ? messageOf(mail, log) : null;
  const key = { accountId: log.account_id, id: log.id };
  const senderAddress = addressOf(mail);
  const stored = mail === undefined ? noMail : storedMail(mail);
  const isPrepared = await db.transaction(async (tx) => {
    await holdReading(tx, reading);
    const isWritten = await updateLogPrepared(tx, { ...key, ...stored, senderAddress, message });
    if (reason === undefined) return isWritten;
    const { attempts } = log;
    await updateLogEnded(tx, {
      ...key,
      status: 'skipped',
      message: reason,
      response: null,
      attempts,
      now: clock.now(),
    });
    return false;
  });
  return message === null || !isPrepared ? undefined : { message, senderAddress, subject: stored.subject };
}

/** Longest address of RFC 5321. A longer one is none, and an index could not hold it. */
const longestAddress = 320;

function addressOf(mail: Mail | undefined): string | null {
  const address = mail?.sender?.address.toLowerCase() ?? '';
  return address === '' || address.length > longestAddress ? null : address;
}

const noMail = { subject: '', sender: '', html: null, text: '', attachments: '[]' };

function messageOf(mail: Mail | undefined, log: DueLog): string {
  const { message_id: messageId, mailbox, change_type: changeType } = log;
  const values = mailValues(mail, { messageId, mailbox, providerName: log.provider_name ?? log.provider, changeType });
  return renderTemplate(log.agent_message_template ?? undefined, values);
}

const line = (text: string, length: number): string =>
  cutText(cleanText(text, { lines: false, maxLength: length }), length);

function storedMail(mail: Mail) {
  const names = attachmentNames(mail.attachments.map(({ filename }) => filename));
  return {
    subject: line(mail.subject, 998) || '(no subject)',
    sender: line(mail.senderText, 320),
    html: mail.html ?? null,
    text: mail.text,
    attachments: JSON.stringify(
      mail.attachments.map(({ contentType, size }, index) => ({
        filename: names[index],
        content_type: contentType,
        size,
      })),
    ),
  };
}
