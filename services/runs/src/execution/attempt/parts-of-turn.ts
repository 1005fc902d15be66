import { outlastOutage } from '../../outlast-outage.ts';
import type { ServedApp } from '../../apps/building/app-version.ts';
import type { RunLimits } from '../../apps/definition/settings/run-limits.ts';
import type { AgentRunOptions } from '../../apps/turns/agent-run.ts';
import type { CountedCost } from '../../models/use/call-costs.ts';
import type { AttemptRun, ExecutionDeps } from './execution-deps.ts';
import { createTurnArtifacts } from './turn-artifacts.ts';
import { createTurnMemory } from './turn-memory.ts';

/** The cost of the run so far, with its dead executor. A run whose cost is limited waits until that is known, and may not go on without. */
export async function countCost(
  { countCost: count, log, outageMs }: ExecutionDeps,
  { turn: { session, invocationId }, working: { signal } }: AttemptRun,
  limits: RunLimits,
): Promise<CountedCost | undefined> {
  if (count === undefined) return undefined;
  const isLimited = limits.cost < Infinity;
  const run = { accountId: session?.accountId ?? '', invocationId };
  try {
    return await outlastOutage(() => count(run), { signal, patienceMs: isLimited ? outageMs : 0 });
  } catch (err) {
    signal.throwIfAborted();
    log.warn({ err, invocationId }, 'the cost of a dead executor is not known');
    return isLimited ? { nanos: 0n, unpriced: 1 } : undefined;
  }
}

/** The app of the turn. A run whose agents cannot be read now waits for them. */
export function findApp({ findApp: find, outageMs }: ExecutionDeps, { turn, working }: AttemptRun): Promise<ServedApp> {
  const { accountId = '', appName = '' } = turn.session ?? {};
  return outlastOutage(() => find(accountId, appName), { signal: working.signal, patienceMs: outageMs });
}

/** ADK's services of the turn's session, user and app. */
export function servicesOf(
  { memory, artifacts, outageMs }: ExecutionDeps,
  { turn, waits, working: { signal } }: AttemptRun,
): Pick<AgentRunOptions, 'memory' | 'artifacts'> {
  return {
    ...(memory && { memory: createTurnMemory({ memory, turn, signal }) }),
    ...(artifacts && { artifacts: createTurnArtifacts({ artifacts, turn, signal, waits, outageMs }) }),
  };
}
