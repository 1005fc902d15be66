import { Type } from 'typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type App, type Context, unary } from '../../context.ts';
import { withFlowingBodies } from '../../edge/bodies/flowing-bodies.ts';
import { faults, HTTPValidationError, Problem } from '../../edge/records/problem.ts';
import { GmailPush, GraphNotifications, GraphToken, Handshake, OtherProvider } from './callback-record.ts';
import { readCallbackBody } from './read-callback-body.ts';

const tags = ['webhooks'];
/** Largest length of the token of a handshake, in characters. */
const maxTokenLength = 4_096;

/**
 * Routes that mail providers call. They take no bearer token of ours; the service checks who calls. The answer does not depend on the content
 * of the body, so that a provider goes on sending.
 */
export async function addCallbacks(app: App, context: Context): Promise<void> {
  await withFlowingBodies(app, (scope) => {
    addGraph(scope, context);
    addGmail(scope, context);
    addOthers(scope);
  });
}

const graphSchema = {
  tags,
  querystring: Handshake,
  body: GraphNotifications,
  response: {
    200: {
      description: 'The decoded `validationToken` as text, when the request has one.',
      content: { 'text/plain': { schema: Type.String() } },
    },
    202: Type.Null({ description: 'What could be used is stored.' }),
    400: Problem,
    422: HTTPValidationError,
    ...faults,
  },
} as const;

function addGraph(app: App, { notifications }: Context): void {
  const receive = async (request: FastifyRequest, reply: FastifyReply, pathToken: string): Promise<void> => {
    const body = await readCallbackBody(request, reply);
    await notifications.receiveNotification({ provider: 'microsoft', pathToken, body }, unary);
    await answerEmpty(reply, 202);
  };
  const path = '/api/webhooks/outlook/notifications';
  const route = { config: { flows: true }, onRequest: answerHandshake } as const;
  const schema = {
    ...graphSchema,
    operationId: 'receiveOutlookNotifications',
    summary: 'Notifications of Microsoft Graph',
    description:
      'Called by Microsoft at the address of one subscription. Each item counts only with the right `clientState`; others are ignored.',
    params: GraphToken,
  };
  app.post(`${path}/:token`, { ...route, schema }, (request, reply) => receive(request, reply, request.params.token));
  const sharedSchema = {
    ...graphSchema,
    operationId: 'receiveSharedOutlookNotifications',
    summary: 'Notifications of Microsoft Graph for any subscription',
    description:
      'Called by Microsoft for subscriptions without an address of their own. Items are matched by `subscriptionId` and `clientState`.',
  };
  app.post(path, { ...route, schema: sharedSchema }, (request, reply) => receive(request, reply, ''));
}

/** Echoes the token with which Microsoft checks the address, before the body is read. */
function answerHandshake(request: FastifyRequest, reply: FastifyReply, done: () => void): void {
  const { validationToken } = request.query as { validationToken?: unknown };
  const token: unknown = Array.isArray(validationToken) ? validationToken[0] : validationToken;
  if (token === undefined) return done();
  if (typeof token !== 'string' || token.length > maxTokenLength) {
    reply.code(400).send({ detail: 'The validation token is not valid.' });
    return;
  }
  reply.code(200).type('text/plain; charset=utf-8').header('x-content-type-options', 'nosniff').send(token);
}

function addGmail(app: App, { notifications }: Context): void {
  app.post(
    '/api/webhooks/gmail/notifications',
    {
      config: { flows: true },
      schema: {
        tags,
        operationId: 'receiveGmailNotification',
        summary: 'Notifications of Gmail',
        description:
          'Called by Google Pub/Sub with a token that Google has signed for the configured audience and service account. While none is configured, every push is refused.',
        body: GmailPush,
        response: {
          200: Type.Null({ description: 'The push is stored, or says nothing that can be used.' }),
          401: Problem,
          403: Problem,
          422: HTTPValidationError,
          ...faults,
        },
      },
    },
    async (request, reply) => {
      const body = await readCallbackBody(request, reply);
      const authorization = request.headers.authorization ?? '';
      await notifications.receiveNotification({ provider: 'google', authorization, body }, unary);
      await answerEmpty(reply, 200);
    },
  );
}

function addOthers(app: App): void {
  app.post(
    '/api/webhooks/:provider/notifications',
    {
      config: { flows: true },
      schema: {
        tags,
        operationId: 'receiveOtherNotifications',
        summary: 'Notifications of other providers',
        description: 'Answered and ignored.',
        params: OtherProvider,
        response: { 200: Type.Null({ description: 'Nothing was done.' }), 422: HTTPValidationError, ...faults },
      },
    },
    (_request, reply) => answerEmpty(reply, 200),
  );
}

async function answerEmpty(reply: FastifyReply, status: number): Promise<void> {
  await reply.code(status).send();
}
