import { Readable } from 'node:stream';
import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { openFile } from '../../edge/streams/open-file.ts';
import { attachmentHeaders } from './attachment-headers.ts';
import { AttachmentPath } from './log-record.ts';
import { reads } from '../webhook-family.ts';

/** The route of a mail's files. */
export function addAttachments(app: App, { webhookLogs, authentication }: Context): void {
  app.get(
    '/api/webhooks/logs/:log_id/attachments/:filename',
    reads(authentication, {
      operationId: 'getWebhookLogAttachment',
      summary: "Get an attachment of a log's mail",
      description:
        'Its bytes. The first request downloads it from the mail provider and stores it in the session of the log. PDF files and pictures are `inline`, others are downloads.',
      params: AttachmentPath,
      response: {
        200: Type.Unsafe<Readable>({ type: 'string', format: 'binary', description: 'The bytes of the file.' }),
      },
      refusals: [400, 404, 413, 502],
    }),
    async ({ identity: { accountId }, params: { log_id: logId, filename } }, reply) => {
      const wanted = { accountId, logId, filename };
      const { head, chunks } = await openFile((call) => webhookLogs.getLogAttachment(wanted, call));
      return reply
        .headers(attachmentHeaders(head))
        .send(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }));
    },
  );
}
