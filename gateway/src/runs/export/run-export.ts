import { runRecord } from '@agentmesh/proto/run-record';
import type { RunPlace } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import type { ExportedRecord, ExportPart } from '../../export-part.ts';
import { notificationJson } from '../notices/notice-record.ts';
import { webhooksOf } from './webhooks-of.ts';

const pageSize = 500;

/** Runs, their webhooks without secrets, the messages of these, and notifications. */
export const runExport: ExportPart = {
  kinds: ['run', 'run_webhook', 'webhook_delivery', 'notification'],
  async *read({ sessions, runWebhooks, notices }, { accountId }) {
    yield* runsOf(sessions, accountId);
    yield* webhooksOf(runWebhooks, accountId);
    yield* noticesOf(notices, accountId);
  },
};

async function* runsOf(sessions: Context['sessions'], accountId: string): AsyncGenerator<ExportedRecord> {
  let after: RunPlace | undefined;
  do {
    const page = await sessions.listRuns({ accountId, ...(after && { after }), limit: pageSize }, unary);
    for (const run of page.runs) yield { kind: 'run', data: runRecord(run) };
    after = page.last;
  } while (after !== undefined);
}

async function* noticesOf(notices: Context['notices'], accountId: string): AsyncGenerator<ExportedRecord> {
  let beforeId = 0n;
  for (let isLast = false; !isLast; ) {
    const page = await notices.listNotices({ accountId, limit: pageSize, beforeId }, unary);
    for (const notice of page.notices) yield { kind: 'notification', data: notificationJson(notice) };
    beforeId = page.notices.at(-1)?.id ?? 0n;
    isLast = page.notices.length < pageSize;
  }
}
