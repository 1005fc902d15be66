import type { Mail } from '../../provider/mail.ts';
import type { ProviderTraits } from '../../provider/mail-provider.ts';
import { authenticationResults } from '../../safety/authentication-results.ts';
import { automaticReason } from '../../safety/automatic-mail.ts';
import { isAuthenticated } from '../../safety/is-authenticated.ts';
import { isSenderAllowed } from '../../safety/sender-allowed.ts';
import type { DueLog } from '../../../store/due-logs.ts';

/** Returns the reason why a mail must not run the agent, as a sentence for the owner; undefined when it may. */
export function skipReason(mail: Mail, log: DueLog, provider: ProviderTraits): string | undefined {
  const sender = mail.sender?.address;
  const reason =
    notArrivedReason(mail, log) ??
    tooOldReason(mail, log, provider) ??
    automaticReason({ sender, mailbox: log.mailbox, headers: mail.headers }) ??
    senderReason(mail, log);
  return reason === undefined ? undefined : `The mail was skipped: ${reason}.`;
}

/** Labels of mails at Gmail that did not arrive. */
const hiddenLabels: Readonly<Record<string, string>> = {
  SENT: 'the mailbox itself sent the mail',
  SPAM: 'the mail is spam',
  TRASH: 'the mail is in the trash',
};

/** A subscription to one of these labels wants its mails. */
function notArrivedReason(
  { isDraft, labels }: Mail,
  { resource, change_type: changeType }: DueLog,
): string | undefined {
  if (isDraft && resource !== 'DRAFT') return 'the mail is a draft';
  if (changeType !== 'created') return undefined;
  const hidden = labels.find((label) => hiddenLabels[label] !== undefined && label !== resource);
  return hidden === undefined ? undefined : hiddenLabels[hidden];
}

/** Clocks of providers differ from ours. */
const marginMs = 1_000;

/**
 * Where one watch serves a mailbox, a subscription that became active after the watch began finds mail from before. Mail that arrived since
 * the watch began is new even when its own date is old: it may have been imported. Where a subscription has its own watch, a mail that is
 * moved into its folder counts as new, so its age says nothing.
 */
function tooOldReason({ receivedAt }: Mail, log: DueLog, { servesMailbox }: ProviderTraits): string | undefined {
  const { active_since: activeSince, began_with_watch: beganWithWatch, change_type: changeType } = log;
  if (
    !servesMailbox ||
    changeType !== 'created' ||
    beganWithWatch === true ||
    receivedAt === undefined ||
    activeSince === null
  )
    return undefined;
  const isOld = receivedAt.getTime() < activeSince.getTime() - marginMs;
  return isOld ? 'it was received before the subscription was active' : undefined;
}

function senderReason({ sender, headers, hasClearSender }: Mail, log: DueLog): string | undefined {
  const isChecked = log.require_authentication === true || (log.allowed_senders ?? []).length > 0;
  if (isChecked && !hasClearSender) return 'its sender is not clear';
  if (!isSenderAllowed(log.allowed_senders ?? [], sender?.address)) return 'its sender is not allowed';
  if (log.require_authentication !== true) return undefined;
  const isGenuine = isAuthenticated(authenticationResults(headers), sender?.address);
  return isGenuine ? undefined : 'the provider has not authenticated its sender (SPF, DKIM, DMARC)';
}
