import { setTimeout as pause } from 'node:timers/promises';
import type { Context } from '../context.ts';
import { attachmentBusy, attachmentNotFound, attachmentTooLarge } from '../../errors.ts';
import type { MailReader } from '../provider/mail.ts';
import type { ProviderTraits } from '../provider/mail-provider.ts';
import { ProviderError } from '../provider/provider-error.ts';
import { mailAccountOf } from '../provider/mail-account-of.ts';
import { providerFailure } from '../provider/provider-failure.ts';
import { claimAttachments, releaseAttachments } from '../../store/attachment-claims.ts';
import { attachmentNames } from './attachment-names.ts';
import { isStored, store } from './stored-attachment.ts';
import type { WantedAttachment } from './wanted-attachment.ts';

/** The caller waits 30 s for the first byte. */
const downloadMs = 25_000;
/** Longer than a download, so that a claim ends by itself only when its process is dead. */
const claimMs = 60_000;
const pauseMs = 250;
/** Downloads at a time. */
const mostDownloads = 4;

/** Downloads an attachment into the artifacts service; `empty` when it has no bytes, which are not stored. */
export type Download = (wanted: WantedAttachment, signal: AbortSignal) => Promise<'stored' | 'empty'>;

/** Creates the downloads of one process. When several calls for one log come at once, to any replica, one downloads and the others wait for it. */
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
      const chunks = fetch(wanted, signal);
      return (await store(artifacts, wanted, { chunks, signal })) ? 'stored' : 'empty';
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

/** The bytes of an attachment at its provider, while they arrive. The mail is read again, because a provider may name its attachments differently each time. */
function createFetch({ config, providers }: Context) {
  const maxBytes = config.WEBHOOK_ATTACHMENT_MAX_BYTES;
  const fetchFrom = async (reader: MailReader, { log, filename }: WantedAttachment, signal: AbortSignal) => {
    const mailAccount = mailAccountOf(log);
    const at = { mailAccount, messageId: log.message_id, signal };
    const { attachments } = await reader.fetchMail(at);
    const index = attachmentNames(attachments.map((attachment) => attachment.filename)).indexOf(filename);
    const attachment = attachments[index];
    if (attachment === undefined) throw attachmentNotFound();
    if (attachment.size > maxBytes) throw attachmentTooLarge(maxBytes);
    return reader.fetchAttachment(at, attachment);
  };
  const failureOf = (error: unknown, provider: ProviderTraits): unknown => {
    const isGone = error instanceof ProviderError && (error.kind === 'not_found' || error.kind === 'gone');
    return isGone ? attachmentNotFound() : providerFailure(error, provider);
  };
  return async function* (wanted: WantedAttachment, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    const provider = providers.of(wanted.log.provider);
    let bytes = 0;
    try {
      for await (const chunk of await fetchFrom(provider, wanted, signal)) {
        bytes += chunk.byteLength;
        // The provider has told a smaller size.
        if (bytes > maxBytes) throw attachmentTooLarge(maxBytes);
        yield chunk;
      }
    } catch (error) {
      throw failureOf(error, provider);
    }
  };
}
