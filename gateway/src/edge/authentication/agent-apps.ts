import type { AgentsService } from '@agentmesh/proto/runs/v1/agents';
import type { Client } from '@connectrpc/connect';
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';

const agentApp = /^agent\d+$/;
const options = { timeoutMs: 30_000 };

/**
 * Refuses with 404 every route below `/apps/agent<N>/` when the account has no agent N. Other names of apps are not looked up, because
 * sessions, artifacts and memory of them may outlive their app.
 */
export function createAgentAppCheck(agents: Pick<Client<typeof AgentsService>, 'checkApp'>) {
  return (request: FastifyRequest, _reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    // Routes without an authentication hook have no identity, although the type says so.
    const { identity, params } = request as Partial<FastifyRequest>;
    const appName = (params as { app_name?: unknown } | undefined)?.app_name;
    if (identity === undefined || typeof appName !== 'string' || !agentApp.test(appName)) return done();
    const [passed, refused] = [(): void => done(), (error: Error): void => done(error)];
    agents.checkApp({ accountId: identity.accountId, appName }, options).then(passed, refused);
  };
}
