import { type App, type Context, unary } from '../context.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { FinalizeRequest, Finalized } from './finalize-record.ts';

const consents = routeFamily({ tag: 'agent identity', caller: 'runtime', scope: 'integrations:write' });

/** Consent to connectors of Google's agent identity. */
export function addKeys(app: App, { keys, authentication }: Context): void {
  app.post(
    '/agent-identity/finalize',
    consents(authentication, {
      operationId: 'finalizeAgentIdentity',
      summary: 'Finish a consent flow',
      description: 'Call it when the consent page has led back. Then answer the credential request of the run.',
      body: FinalizeRequest,
      response: { 200: Finalized },
      refusals: [403, 404, 409, 502],
    }),
    async ({ identity, body }, reply) => {
      const { accountId, email } = identity;
      const { refusal } = await keys.finalizeCredential({ accountId, email, ...body }, unary);
      if (refusal === undefined) return {};
      const { status, message, retryAfterSeconds } = refusal;
      if (retryAfterSeconds !== undefined) reply.header('retry-after', retryAfterSeconds);
      throw new HttpError(status, message);
    },
  );
}
