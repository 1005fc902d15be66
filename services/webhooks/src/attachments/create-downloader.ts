import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { attachmentBusy, attachmentNotFound, attachmentTooLarge } from '../errors.ts';
import { createGmailMailReader } from '../mail/gmail-mail.ts';
import { createGraphMailReader } from '../mail/graph-mail.ts';
import type { MailReader } from '../mail/mail.ts';
import type { Provider } from '../provider/provider.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { providerFailure } from '../provider/provider-failure.ts';
import { claimAttachments, releaseAttachments } from '../store/attachment-claims.ts';
import { attachmentNames } from './attachment-names.ts';
import { isStored, store } from './stored-attachment.ts';
import type { WantedAttachment } from './wanted-attachment.ts';

/** The caller waits 30 s for the first byte. */
const downloadMs = 25_000;
/** Longer than a download, so that a claim ends by itself only when its process is dead. */
const claimMs = 60_000;
const pauseMs = 250;
/** Downloads at a time; each one holds its attachment in memory. */
const mostDownloads = 2;

/** Downloads an attachment into the artifacts service; `empty` when it has no bytes, which are not stored. */
export type Download = (wanted: WantedAttachment, signal: AbortSignal) => Promise<'stored' | 'empty'>;

/** Creates the downloads of one process. Of several calls for one log, one downloads and the others wait for it, on all replicas. */
export function createDownloader(context: Context): Download {
  const { db, clock, artifacts } = context;
  const fetch = createFetch(context);
  let running = 0;

  const downloadClaimed = async (wanted: WantedAttachment, signal: AbortSignal) => {
    const now = clock.now();
    const claim = { accountId: wanted.log.account_id, id: wanted.log.id, until: new Date(now.getTime() + claimMs) };
    if (!(await claimAttachments(db, { ...claim, now }))) return undefined;
    try {
      // Another call may have stored it before this claim.
      if (await isStored(artifacts, wanted)) return 'stored';
      const bytes = await fetch(wanted, signal);
      if (bytes.length === 0) return 'empty';
      await store(artifacts, wanted, { bytes, signal });
      return 'stored';
    } finally {
      await releaseAttachments(db, claim);
    }
  };

  const attempt = async (wanted: WantedAttachment, signal: AbortSignal) => {
    if (running >= mostDownloads) return undefined;
    running += 1;
    try {
      return await downloadClaimed(wanted, signal);
    } finally {
      running -= 1;
    }
  };

  return async (wanted, caller) => {
    const deadline = AbortSignal.timeout(downloadMs);
    const signal = AbortSignal.any([caller, deadline]);
    try {
      for (;;) {
        const outcome = await attempt(wanted, signal);
        if (outcome !== undefined) return outcome;
        await pause(pauseMs, undefined, { signal });
      }
    } catch (error) {
      throw deadline.aborted && !caller.aborted ? attachmentBusy() : error;
    }
  };
}

/** The bytes of an attachment at its provider. The mail is read again, because Gmail names its attachments differently each time. */
function createFetch({ config, graph, gmail }: Context) {
  const readers: Readonly<Record<Provider, MailReader>> = {
    microsoft: createGraphMailReader(graph),
    google: createGmailMailReader(gmail),
  };
  const maxBytes = config.WEBHOOK_ATTACHMENT_MAX_BYTES;
  const fetchFrom = async (reader: MailReader, { log, filename }: WantedAttachment, signal: AbortSignal) => {
    const at = { accountId: log.account_id, messageId: log.message_id, signal };
    const { attachments } = await reader.fetchMail(at);
    const index = attachmentNames(attachments.map((attachment) => attachment.filename)).indexOf(filename);
    const attachment = attachments[index];
    if (attachment === undefined) throw attachmentNotFound();
    if (attachment.size > maxBytes) throw attachmentTooLarge(maxBytes);
    return reader.fetchAttachment(at, attachment, maxBytes);
  };
  return async (wanted: WantedAttachment, signal: AbortSignal): Promise<Uint8Array> => {
    const { provider } = wanted.log;
    try {
      return await fetchFrom(readers[provider], wanted, signal);
    } catch (error) {
      const isGone = error instanceof ProviderError && (error.kind === 'not_found' || error.kind === 'gone');
      throw isGone ? attachmentNotFound() : providerFailure(error, provider);
    }
  };
}
