import type { Host } from '@agentmesh/lib/service';
import { startJob } from '@agentmesh/lib/service';
import { AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { onRunEnded } from './consumers/on-run-ended.ts';
import { askByMail, mailAsker } from './jobs/ask-by-mail.ts';
import { createExpireLogs } from './jobs/expire-logs.ts';
import { createKeepProcessing } from './jobs/keep-processing.ts';
import { readMailboxTask } from './mail/read-mailbox-task.ts';
import { createMailboxReader } from './mail/processing/read-mailbox.ts';
import type { DueWork } from './due-work.ts';
import type { RunWebhooks } from './deliveries/run-webhooks.ts';
import type { Processor } from './mail/processing/processor.ts';

/** Starts to process mail in this process. It ends when the process drains. */
export async function startProcessing(
  host: Pick<Host, 'bus' | 'resources' | 'log' | 'draining'>,
  processor: Processor,
  { webhooks, due }: { readonly webhooks: RunWebhooks; readonly due: DueWork },
): Promise<void> {
  host.resources.defer(await host.bus.consume(AwaitedRunEndedSchema, 'webhooks', onRunEnded(processor, webhooks)));
  host.resources.use(startJob(createKeepProcessing(processor, due), host));
  host.resources.use(startJob(createExpireLogs(processor), host));
  await processor.jobs.work(askByMail, mailAsker(processor));
  await processor.jobs.work(readMailboxTask, createMailboxReader(processor));
}
