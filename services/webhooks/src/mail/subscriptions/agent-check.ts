import type { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import type { Client } from '@connectrpc/connect';
import type { Context } from '../context.ts';

const timeoutMs = 10_000;

/** Asks the service runs whether an account has an agent. */
export function createAgentCheck(agents: Client<typeof AgentsService>): Context['checkAgent'] {
  return async (accountId, agentId) => {
    await agents.getAgent({ accountId, agentId }, { timeoutMs });
  };
}
