import { AgentChangedSchema } from '@agentmesh/proto/runs/v1/agents';
import type { AgentsContext } from './agents-context.ts';

/** Tells all replicas that agents of the account were written. The write is committed, so a lost hint only delays its use. */
export async function tellChange({ agentApps, bus, log }: AgentsContext, accountId: string): Promise<void> {
  agentApps.forget(accountId);
  await bus.publish(AgentChangedSchema, { accountId }).catch((err: unknown) => {
    log.warn({ err }, 'other replicas were not told that an agent was changed; they look within half a second');
  });
}
