import { MeshError } from '@agentmesh/lib/rpc';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import type { Context } from '../../context.ts';
import { InvalidRequest } from '../../edge/errors/request-error.ts';
import type { keyedCall } from '../../edge/idempotency/keyed-call.ts';
import type { RunWebhookRequest } from './webhook-record.ts';

/** A run that is about to be started. */
export interface ComingRun {
  readonly session: Pick<SessionKey, 'accountId' | 'appName' | 'userId' | 'sessionId'>;
  /** Empty when the client named none. */
  readonly invocationId: string;
  /** Options of the call. With an idempotency key, a repeated request names the same run. */
  readonly call: ReturnType<typeof keyedCall>;
}

/** A registered webhook, and the id that its run must get. */
export interface RegisteredWebhook {
  readonly invocationId: string;
  readonly webhook: { readonly url: string; readonly secret?: string };
}

/** Registers the webhook of a run before the run is started, so that no run that was accepted lacks it. */
export async function registerWebhook(
  { runWebhooks }: Pick<Context, 'runWebhooks'>,
  { url, secret }: RunWebhookRequest,
  { session, invocationId: named, call }: ComingRun,
): Promise<RegisteredWebhook> {
  const asked = { session, invocationId: named, url, secret: secret ?? '' };
  const { madeSecret, invocationId } = await runWebhooks.registerRunWebhook(asked, call).catch(namingField);
  return { invocationId, webhook: { url, ...(madeSecret !== '' && { secret: madeSecret }) } };
}

const fields: Readonly<Record<string, string>> = { run_webhook_url_refused: 'url', signing_secret_invalid: 'secret' };

/** Throws an error about a field as a 422 at that field, without its value. */
function namingField(error: unknown): never {
  const field = error instanceof MeshError ? fields[error.reason] : undefined;
  if (field === undefined || !(error instanceof MeshError)) throw error;
  const { message, reason } = error;
  throw new InvalidRequest(
    [{ type: 'value_error', loc: ['body', 'webhook', field], msg: message, ctx: { error: message } }],
    reason,
  );
}
