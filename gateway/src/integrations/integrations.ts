import { type App, type Context, unary } from '../context.ts';
import { failures, Problem } from '../edge/records/problem.ts';
import { addConnecting } from './connect.ts';
import { integrationJson } from './integration-json.ts';
import { Disconnected, IntegrationList, IntegrationPath } from './integration-record.ts';
import { providerOf } from './provider-names.ts';

const tags = ['integrations'];

/** Mail accounts that the caller's account has connected. */
export function addIntegrations(app: App, context: Context): void {
  addConnecting(app, context);
  addList(app, context);
  addDisconnection(app, context);
}

function addList(app: App, { integrations, authentication }: Context): void {
  app.get(
    '/api/integrations/',
    {
      preValidation: authentication.account,
      config: { scope: 'integrations:read' },
      schema: {
        tags,
        operationId: 'listIntegrations',
        summary: 'List connected mail accounts',
        description: 'At most one of each provider. No answer contains a token.',
        response: { 200: IntegrationList, ...failures },
      },
    },
    async ({ identity: { accountId } }) => {
      const listed = await integrations.listIntegrations({ accountId }, unary);
      return listed.integrations.map(integrationJson);
    },
  );
}

function addDisconnection(app: App, { integrations, authentication }: Context): void {
  app.delete(
    '/api/integrations/:provider',
    {
      preValidation: authentication.account,
      config: { scope: 'integrations:write' },
      schema: {
        tags,
        operationId: 'disconnectIntegration',
        summary: 'Disconnect a mail account',
        description:
          'Its subscriptions are ended at the provider, and its tokens are erased then, after 24 hours at the latest.',
        params: IntegrationPath,
        response: { 200: Disconnected, 404: Problem, ...failures },
      },
    },
    async ({ identity: { accountId }, params: { provider } }) => {
      await integrations.disconnect({ accountId, provider: providerOf(provider) }, unary);
      return { success: true, message: `${provider} is disconnected.` };
    },
  );
}
