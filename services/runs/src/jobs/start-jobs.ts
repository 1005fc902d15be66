import { createForgetKeys } from '@agentmesh/lib/idempotency';
import { type Host, startJob } from '@agentmesh/lib/service';
import type { Context } from '../context.ts';
import { createAnswerOverdueRuns } from './answer-overdue-runs.ts';
import { createCheckQueuedRuns } from './check-queued-runs.ts';
import { createCountActiveRuns } from './count-active-runs.ts';
import { createClaimDueRuns } from './claim-due-runs.ts';
import { createRenewLeases } from './renew-leases.ts';
import { createForgetTraces } from './forget-traces.ts';
import { createSettleAwaitedRuns } from './settle-awaited-runs.ts';
import { createTellHeaviest } from './tell-heaviest.ts';
import { createTellRetention } from './tell-retention.ts';
import { createWatchWaits } from './watch-waits.ts';

/** Starts the work that is done without a call, until the host closes. */
export function startJobs(
  { resources, log, draining }: Pick<Host, 'resources' | 'log' | 'draining'>,
  context: Context,
): void {
  const settling = [createSettleAwaitedRuns, createAnswerOverdueRuns, createTellRetention, createForgetTraces];
  for (const create of [createClaimDueRuns, createCheckQueuedRuns, createCountActiveRuns, ...settling])
    resources.use(startJob(create(context), { log, draining }));
  resources.use(startJob(createForgetKeys(context.db), { log, draining }));
  // Not stopped by the drain: runs that are finished then still need their leases.
  for (const create of [createRenewLeases, createTellHeaviest, createWatchWaits])
    resources.use(startJob(create(context), { log }));
  draining.addEventListener('abort', () => context.waiting.leaveAll(), { once: true });
}
