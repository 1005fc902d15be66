import { randomUUID } from 'node:crypto';
import { keyedRequest, once } from '@agentmesh/lib/idempotency';
import { lockKey, orderedUuid } from '@agentmesh/lib/pg';
import { checkAccountId } from '@agentmesh/lib/rpc';
import { type RegisterRunWebhookRequest, RunWebhooksService } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import { logFilterInvalid, runWebhookLimit, webhookKeyReused } from '../../errors.ts';
import { checkWebhookUrl } from '../../deliveries/check-url.ts';
import { hashOfRun, type RunName } from '../../deliveries/run-name.ts';
import { callMs, type RunWebhooks } from '../../deliveries/run-webhooks.ts';
import {
  countOpenRunWebhooks,
  deleteSurplusRunWebhooks,
  insertFirstRunWebhook,
  insertRunWebhook,
  renewRunWebhook,
  selectRunWebhook,
} from '../../store/run-webhooks.ts';
import type { RunWebhookHandlers } from './handlers.ts';

const mostOpen = 10_000;
/** Webhooks of ended runs that an account keeps. */
const keptEnded = 10_000;
/** The end of a run is announced; this is how long to wait before the ledger is read. */
const checkMs = 30_000;

/**
 * Registers the webhook of a run that is about to be accepted. With an idempotency key the id of the run is stored with it, so a repeated call names the same
 * run. The webhook may have been forgotten since, because the run was not accepted; then it is registered again. Its secret is not stored with the key.
 */
export function registerRunWebhook(webhooks: RunWebhooks): RunWebhookHandlers['registerRunWebhook'] {
  const { policy } = webhooks;
  const name = once(webhooks, RunWebhooksService.method.registerRunWebhook, () => nameRun);
  return async (request, call) => {
    const accountId = checkAccountId(request.session?.accountId ?? '');
    const run = nameOf(request);
    const { url, secret } = request;
    checkWebhookUrl(url, policy);
    const isKeyed = keyedRequest(accountId, call.requestHeader) !== undefined;
    const { invocationId = '' } = await name(request, call);
    const named = { ...run, invocationId };
    const [secretId, runSha256] = [randomUUID(), hashOfRun(named)];
    const sealed = await webhooks.signing.sealSecret({ accountId, id: secretId, secret }, { timeoutMs: callMs });
    const fingerprint = secret === '' ? '' : sealed.fingerprint;
    const webhook = { ...named, accountId, runSha256, url, fingerprint, secretId, secret: sealed.envelope };
    const isFirst = request.isRepeatable || isKeyed;
    if (isFirst && (await isRegistered(webhooks, webhook))) return { invocationId };
    const madeSecret = (await insert(webhooks, webhook, isFirst)) ? sealed.madeSecret : '';
    return { madeSecret, invocationId };
  };
}

async function nameRun({ invocationId }: RegisterRunWebhookRequest) {
  return { invocationId: invocationId || `e-${orderedUuid()}` };
}

interface Registration extends RunName {
  readonly accountId: string;
  readonly runSha256: Uint8Array;
  readonly url: string;
  readonly fingerprint: string;
  readonly secretId: string;
  readonly secret: string;
}

/**
 * Whether the run has this webhook. Its run may be accepted only now: until then the webhook is kept as long as a new one. Throws `idempotency_key_reused` when
 * the run has another webhook.
 */
async function isRegistered(
  { db, clock }: RunWebhooks,
  { accountId, runSha256, url, fingerprint }: Registration,
): Promise<boolean> {
  const [earlier] = await selectRunWebhook(db, { accountId, runSha256 });
  if (earlier === undefined) return false;
  if (earlier.url !== url || earlier.secret_fingerprint !== fingerprint) throw webhookKeyReused();
  return !earlier.is_open || renewRunWebhook(db, { accountId, runSha256, now: clock.now() });
}

/** False when `isFirst` and another call has registered the webhook meanwhile. */
function insert({ db, clock }: RunWebhooks, webhook: Registration, isFirst: boolean): Promise<boolean> {
  const { accountId } = webhook;
  return db.transaction(async (tx) => {
    // The count sees what calls at the same time have stored.
    await lockKey(tx, 'run-webhooks', accountId);
    if ((await countOpenRunWebhooks(tx, accountId, mostOpen)) >= mostOpen) throw runWebhookLimit(mostOpen);
    await deleteSurplusRunWebhooks(tx, { accountId, kept: keptEnded });
    const now = clock.now();
    const values = { ...webhook, now, checkAt: new Date(now.getTime() + checkMs) };
    if (isFirst) return (await insertFirstRunWebhook(tx, values)).length > 0;
    await insertRunWebhook(tx, values);
    return true;
  });
}

/** The session and the id that the run is given. PostgreSQL cannot store NUL. */
function nameOf({ session, invocationId }: RegisterRunWebhookRequest): RunName {
  const { appName = '', userId = '', sessionId = '' } = session ?? {};
  const names = [appName, userId, sessionId];
  if (names.includes('') || [...names, invocationId].some((name) => name.includes('\0')))
    throw logFilterInvalid('names no run');
  return { appName, userId, sessionId, invocationId };
}
