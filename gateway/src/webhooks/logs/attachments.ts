import { Readable } from 'node:stream';
import { MeshError } from '@agentmesh/lib/rpc';
import { createMemoryRelease } from '@agentmesh/lib/service';
import type { GetLogAttachmentResponse, LogsService } from '@agentmesh/proto/webhooks/v1/logs';
import type { Client } from '@connectrpc/connect';
import { Type } from 'typebox';
import type { App, Context } from '../../context.ts';
import { failures, Problem } from '../../edge/records/problem.ts';
import { firstAnswer } from '../../edge/streams/first-answer.ts';
import { attachmentHeaders } from './attachment-headers.ts';
import { AttachmentPath } from './log-record.ts';

/** The route of a mail's files. */
export function addAttachments(app: App, { webhookLogs, authentication }: Context): void {
  app.get(
    '/api/webhooks/logs/:log_id/attachments/:filename',
    {
      preValidation: authentication.account,
      config: { scope: 'webhooks:read' },
      schema: {
        tags: ['webhooks'],
        operationId: 'getWebhookLogAttachment',
        summary: "Get an attachment of a log's mail",
        description:
          'Its bytes. The first request downloads it from the mail provider and stores it in the session of the log. PDF files and pictures are `inline`, others are downloads.',
        params: AttachmentPath,
        response: {
          200: Type.Unsafe<Readable>({ type: 'string', format: 'binary', description: 'The bytes of the file.' }),
          400: Problem,
          404: Problem,
          413: Problem,
          502: Problem,
          ...failures,
        },
      },
    },
    async ({ identity: { accountId }, params: { log_id: logId, filename } }, reply) => {
      const { head, chunks } = await openAttachment(webhookLogs, { accountId, logId, filename });
      return reply
        .headers(attachmentHeaders(head))
        .send(Readable.from(chunks, { objectMode: false, highWaterMark: 1 }));
    },
  );
}

/** Opens an attachment. Throws errors that the service answers before the first byte. The caller reads `chunks` or destroys their stream. */
async function openAttachment(
  logs: Client<typeof LogsService>,
  request: { accountId: string; logId: number; filename: string },
) {
  const reading = new AbortController();
  const leave = (): void => reading.abort();
  try {
    const messages = logs.getLogAttachment(request, { signal: reading.signal })[Symbol.asyncIterator]();
    const first = await firstAnswer(messages, reading);
    if (first.done === true || first.value.kind.case !== 'head') throw headMissing();
    return { head: first.value.kind.value, chunks: chunksOf(messages, leave) };
  } catch (error) {
    leave();
    throw error;
  }
}

async function* chunksOf(messages: AsyncIterator<GetLogAttachmentResponse>, leave: () => void) {
  const release = createMemoryRelease();
  try {
    for (let next = await messages.next(); next.done !== true; next = await messages.next()) {
      if (next.value.kind.case !== 'chunk') continue;
      release(next.value.kind.value.byteLength);
      yield next.value.kind.value;
    }
  } finally {
    leave();
  }
}

function headMissing(): MeshError {
  return new MeshError('internal', 'attachment_without_head', 'The attachment could not be read.');
}
