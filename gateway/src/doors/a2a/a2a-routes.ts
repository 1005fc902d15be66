import { type App, type Context, unary } from '../../context.ts';
import { publicBaseUrl } from '../../config.ts';
import { routeFamily } from '../../edge/http/route-family.ts';
import { IdempotencyKey } from '../../edge/idempotency/idempotency-key.ts';
import { AppPath } from '../../edge/records/path.ts';
import { Type } from 'typebox';
import { a2aProblem } from './a2a-problem.ts';
import { type AppGraph, agentCard, legacyAgentCard } from './agent-card.ts';
import { scopeOfCall } from './rpc-call.ts';

const family = { tag: 'doors', caller: 'account', problemAs: a2aProblem } as const;
const reads = routeFamily({ ...family, scope: 'runs:read', holdsNoUserData: true });
const calls = routeFamily({
  ...family,
  scopeOf: ({ body }) => scopeOfCall(body),
  limitsToUser: true,
  setsNoState: true,
});

/** The card of an app, and the address at which it is called. */
export function a2aRoutes(app: App, context: Context): void {
  const { authentication, arriving, config, runs } = context;
  const path = '/a2a/:app_name';
  app.get(
    `${path}/.well-known/agent-card.json`,
    reads(authentication, { hide: true, params: AppPath }),
    async ({ identity, params, headers }, reply) => {
      const { json } = await runs.getAppGraph({ accountId: identity.accountId, appName: params.app_name }, unary);
      const graph = JSON.parse(Buffer.from(json).toString()) as AppGraph;
      const url = `${publicBaseUrl(config)}/a2a/${encodeURIComponent(params.app_name)}`;
      reply.header('vary', 'A2A-Version');
      return headers['a2a-version'] === '1.0' ? agentCard(graph, url) : legacyAgentCard(graph, url);
    },
  );
  app.post(
    path,
    {
      onRequest: arriving.enter,
      preHandler: arriving.takeTurn,
      ...calls(authentication, { hide: true, headers: IdempotencyKey, params: AppPath, body: Type.Unknown() }),
    },
    async (request, reply) => {
      const { serveCall } = await import('./serve-call.ts');
      return serveCall({ context, request, reply, appName: request.params.app_name });
    },
  );
}
