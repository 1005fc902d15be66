import { checkAccountId, isMeshError } from '@agentmesh/lib/rpc';
import { createDownloader } from '../../mail/attachments/create-downloader.ts';
import { readStored } from '../../mail/attachments/stored-attachment.ts';
import { wantedAttachment } from '../../mail/attachments/wanted-attachment.ts';
import type { Context } from '../../mail/context.ts';
import { attachmentNotFound } from '../../errors.ts';
import { selectAttachedLog } from '../../store/attachment-claims.ts';
import type { LogHandlers } from './handlers.ts';

/** Streams an attachment of a log's mail. The first call for it downloads and stores it. */
export function getLogAttachment(context: Context): LogHandlers['getLogAttachment'] {
  const { db, auth, artifacts } = context;
  const download = createDownloader(context);
  return async function* ({ accountId, logId, filename }, { signal }) {
    const [log] = await selectAttachedLog(db, { accountId: checkAccountId(accountId), id: logId });
    if (log === undefined) throw attachmentNotFound();
    const wanted = await wantedAttachment(auth, log, filename);
    try {
      yield* readStored(artifacts, wanted, signal);
      return;
    } catch (error) {
      if (!isMeshError(error) || error.reason !== 'artifact_not_found') throw error;
    }
    if ((await download(wanted, signal)) === 'stored') yield* readStored(artifacts, wanted, signal);
    else yield { kind: { case: 'head' as const, value: { filename, contentType: wanted.contentType, size: 0n } } };
  };
}
