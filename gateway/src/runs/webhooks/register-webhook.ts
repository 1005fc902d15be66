import { createHash, randomUUID } from 'node:crypto';
import { MeshError } from '@agentmesh/lib/rpc';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { type Context, unary } from '../../context.ts';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { refuseReuse } from '../idempotency-key.ts';
import type { RunWebhookRequest } from './webhook-record.ts';

/** A run that is about to be started. */
export interface ComingRun {
  readonly session: Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;
  /** Empty when the client named none. */
  readonly invocationId: string;
  /** Empty for none. */
  readonly idempotencyKey: string;
}

/** A registered webhook, and the id that its run must get. */
export interface RegisteredWebhook {
  readonly invocationId: string;
  readonly webhook: { readonly url: string; readonly secret?: string };
}

/**
 * Registers the webhook of a run before the run is started, so that no run that was accepted lacks it. The id of a run with an idempotency key
 * follows from the key: a repeated request names the same run.
 */
export async function registerWebhook(
  { runWebhooks }: Pick<Context, 'runWebhooks'>,
  { url, secret }: RunWebhookRequest,
  { session, invocationId: named, idempotencyKey }: ComingRun,
): Promise<RegisteredWebhook> {
  const isRepeatable = idempotencyKey !== '';
  const invocationId = named || `e-${isRepeatable ? idOf(session.accountId, idempotencyKey) : randomUUID()}`;
  const asked = { session, invocationId, url, secret: secret ?? '', isRepeatable };
  const { madeSecret } = await runWebhooks.registerRunWebhook(asked, unary).catch(namingField).catch(refuseReuse);
  return { invocationId, webhook: { url, ...(madeSecret !== '' && { secret: madeSecret }) } };
}

/** A UUID of version 8 that is made of a hash. */
function idOf(accountId: string, idempotencyKey: string): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(['run', accountId, idempotencyKey]))
    .digest('hex');
  return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-8${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
}

const fields: Readonly<Record<string, string>> = { run_webhook_url_refused: 'url', signing_secret_invalid: 'secret' };

/** Throws an error about a field as a 422 at that field, without its value. */
function namingField(error: unknown): never {
  const field = error instanceof MeshError ? fields[error.reason] : undefined;
  if (field === undefined || !(error instanceof MeshError)) throw error;
  const { message } = error;
  throw new InvalidRequest([
    { type: 'value_error', loc: ['body', 'webhook', field], msg: message, ctx: { error: message } },
  ]);
}
