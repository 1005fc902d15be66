import { type App, type Context, unary } from '../context.ts';
import { HttpError } from '../edge/errors/request-error.ts';
import { bodyFailures, failures, Problem } from '../edge/records/problem.ts';
import { FinalizeRequest, Finalized } from './finalize-record.ts';

/** Consent to connectors of Google's agent identity. */
export function addKeys(app: App, { keys, authentication }: Context): void {
  app.post(
    '/agent-identity/finalize',
    {
      preValidation: authentication.runtime,
      config: { scope: 'integrations:write' },
      schema: {
        tags: ['agent identity'],
        operationId: 'finalizeAgentIdentity',
        summary: 'Finish a consent flow',
        description: 'Call it when the consent page has led back. Then answer the credential request of the run.',
        body: FinalizeRequest,
        response: {
          200: Finalized,
          403: Problem,
          404: Problem,
          409: Problem,
          429: Problem,
          502: Problem,
          ...bodyFailures,
          ...failures,
        },
      },
    },
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
