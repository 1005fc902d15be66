import { isMeshError } from '@agentmesh/lib/rpc';
import { MailProvider } from '@agentmesh/proto/keys/v1/integrations';
import type { FastifyReply } from 'fastify';
import { type App, type Context, unary } from '../context.ts';
import { InvalidRequest } from '../edge/errors/request-error.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { connectedJson } from './integration-json.ts';
import {
  type Callback,
  Connected,
  ConnectPage,
  GmailCallback,
  GmailConnectQuery,
  OutlookCallback,
  OutlookConnectQuery,
} from './integration-record.ts';
import { serviceOf } from './provider-names.ts';

const starts = routeFamily({
  tag: 'integrations',
  caller: 'account',
  scope: 'integrations:write',
  refusals: [400],
});
const finishes = routeFamily({ tag: 'integrations', caller: 'account', scope: 'integrations:write', refusals: [403] });

const outlook = '/api/integrations/microsoft/outlook';
const gmail = '/api/integrations/google';
const startDescription =
  'Open the returned address in the browser. The provider then leads to `redirect_uri` with a code and the state, which the callback route takes.';
const finishDescription =
  'Exchanges the code for tokens, which are stored encrypted. A state is used up by its first use, also when that fails. Connecting another mail account of the provider ends the former connection.';

/** Routes that connect mail accounts. */
export function addConnecting(app: App, context: Context): void {
  addStarts(app, context);
  addCallbacks(app, context);
}

function addStarts(app: App, context: Context): void {
  app.get(
    `${outlook}/connect`,
    starts(context.authentication, {
      operationId: 'startOutlookConnection',
      summary: 'Start to connect Outlook',
      description: startDescription,
      querystring: OutlookConnectQuery,
      response: { 200: ConnectPage },
    }),
    ({ identity, query }, reply) =>
      start(context, reply, { ...identity, ...query, provider: MailProvider.MICROSOFT, fallback: 'microsoft_outlook' }),
  );
  app.get(
    `${gmail}/connect`,
    starts(context.authentication, {
      operationId: 'startGmailConnection',
      summary: 'Start to connect Gmail',
      description: startDescription,
      querystring: GmailConnectQuery,
      response: { 200: ConnectPage },
    }),
    ({ identity, query }, reply) =>
      start(context, reply, { ...identity, ...query, provider: MailProvider.GOOGLE, fallback: 'google_gmail' }),
  );
}

function addCallbacks(app: App, context: Context): void {
  app.post(
    `${outlook}/callback`,
    finishes(context.authentication, {
      operationId: 'finishOutlookConnection',
      summary: 'Finish to connect Outlook',
      description: finishDescription,
      body: OutlookCallback,
      response: { 200: Connected },
    }),
    ({ identity, body }) =>
      finish(context, { ...body, ...identity, provider: MailProvider.MICROSOFT, fallback: 'microsoft_outlook' }),
  );
  app.post(
    `${gmail}/callback`,
    finishes(context.authentication, {
      operationId: 'finishGmailConnection',
      summary: 'Finish to connect Gmail',
      description: finishDescription,
      body: GmailCallback,
      response: { 200: Connected },
    }),
    ({ identity, body }) =>
      finish(context, { ...body, ...identity, provider: MailProvider.GOOGLE, fallback: 'google_gmail' }),
  );
}

interface Started {
  readonly accountId: string;
  readonly provider: MailProvider;
  readonly redirect_uri: string;
  readonly service?: string;
  /** The service when the client names none. */
  readonly fallback: string;
}

async function start({ integrations }: Context, reply: FastifyReply, it: Started) {
  const service = serviceOf(it.provider, it.service ?? it.fallback);
  const request = { accountId: it.accountId, provider: it.provider, redirectUri: it.redirect_uri };
  const { url, state } = await integrations.startConnect(request, unary).catch(throwNamingField);
  reply.header('cache-control', 'no-store');
  return { url, state, service };
}

type Finished = Callback & Omit<Started, 'redirect_uri'>;

async function finish({ integrations }: Context, it: Finished) {
  const service = serviceOf(it.provider, it.service ?? it.fallback);
  const { accountId, provider, code, state = '', redirect_uri: redirectUri = '' } = it;
  const request = { accountId, provider, providerName: service, code, state, redirectUri };
  const { integration } = await integrations.finishConnect(request, unary);
  return connectedJson(integration, service);
}

function throwNamingField(error: unknown): never {
  if (!isMeshError(error) || error.reason !== 'redirect_uri_invalid') throw error;
  const { message: msg, reason } = error;
  const issue = { type: 'value_error', loc: ['query', 'redirect_uri'], msg, ctx: { error: msg } };
  throw new InvalidRequest([issue], reason);
}
