import { type App, type Context, unary } from '../context.ts';
import { addConnecting } from './connect.ts';
import { integrationJson } from './integration-json.ts';
import { Disconnected, IntegrationList, IntegrationPath } from './integration-record.ts';
import { providerOf } from './provider-names.ts';
import { routeFamily } from '../edge/http/route-family.ts';

const reads = routeFamily({ tag: 'integrations', caller: 'account', scope: 'integrations:read' });
const writes = routeFamily({ tag: 'integrations', caller: 'account', scope: 'integrations:write' });

/** Mail accounts that the caller's account has connected. */
export function addIntegrations(app: App, context: Context): void {
  addConnecting(app, context);
  addList(app, context);
  addDisconnection(app, context);
}

function addList(app: App, { integrations, authentication }: Context): void {
  app.get(
    '/api/integrations/',
    reads(authentication, {
      operationId: 'listIntegrations',
      summary: 'List connected mail accounts',
      description: 'At most one of each provider. No answer contains a token.',
      response: { 200: IntegrationList },
    }),
    async ({ identity: { accountId } }) => {
      const listed = await integrations.listIntegrations({ accountId }, unary);
      return listed.integrations.map(integrationJson);
    },
  );
}

function addDisconnection(app: App, { integrations, authentication }: Context): void {
  app.delete(
    '/api/integrations/:provider',
    writes(authentication, {
      operationId: 'disconnectIntegration',
      summary: 'Disconnect a mail account',
      description:
        'Its subscriptions are ended at the provider, and its tokens are erased then, after 24 hours at the latest.',
      params: IntegrationPath,
      response: { 200: Disconnected },
      refusals: [404],
    }),
    async ({ identity: { accountId }, params: { provider } }) => {
      await integrations.disconnect({ accountId, provider: providerOf(provider) }, unary);
      return { success: true, message: `${provider} is disconnected.` };
    },
  );
}
