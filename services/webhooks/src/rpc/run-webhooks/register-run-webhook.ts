import { randomUUID } from 'node:crypto';
import { checkAccountId } from '@agentmesh/lib/rpc';
import type { RegisterRunWebhookRequest } from '@agentmesh/proto/webhooks/v1/run_webhooks';
import { logFilterInvalid, runWebhookLimit, webhookKeyReused } from '../../errors.ts';
import { checkWebhookUrl } from '../../run-webhooks/check-url.ts';
import { hashOfRun, type RunName } from '../../run-webhooks/run-name.ts';
import { callMs, type RunWebhooks } from '../../run-webhooks/run-webhooks.ts';
import { countOpenRunWebhooks, insertRunWebhook, selectRunWebhook } from '../../store/run-webhooks.ts';
import type { RunWebhookHandlers } from './handlers.ts';

const mostOpen = 10_000;
/** The end of a run is announced; this is how long to wait before the ledger is read. */
const checkMs = 30_000;

/** Registers the webhook of a run that is about to be accepted. */
export function registerRunWebhook(webhooks: RunWebhooks): RunWebhookHandlers['registerRunWebhook'] {
  const { db, clock, policy, signing } = webhooks;
  return async (request) => {
    const accountId = checkAccountId(request.session?.accountId ?? '');
    const run = nameOf(request);
    const { url, secret, isRepeatable } = request;
    checkWebhookUrl(url, policy);
    const secretId = randomUUID();
    const sealed = await signing.sealSecret({ accountId, id: secretId, secret }, { timeoutMs: callMs });
    const runSha256 = hashOfRun(run);
    const fingerprint = secret === '' ? '' : sealed.fingerprint;
    const [earlier] = isRepeatable ? await selectRunWebhook(db, { accountId, runSha256 }) : [];
    if (earlier !== undefined) {
      if (earlier.url !== url || earlier.secret_fingerprint !== fingerprint) throw webhookKeyReused();
      return {};
    }
    if ((await countOpenRunWebhooks(db, accountId, mostOpen)) >= mostOpen) throw runWebhookLimit(mostOpen);
    const now = clock.now();
    const checkAt = new Date(now.getTime() + checkMs);
    const { envelope, madeSecret } = sealed;
    await insertRunWebhook(db, {
      ...run,
      accountId,
      runSha256,
      url,
      secretId,
      secret: envelope,
      fingerprint,
      now,
      checkAt,
    });
    return { madeSecret };
  };
}

/** PostgreSQL cannot store NUL. */
function nameOf({ session, invocationId }: RegisterRunWebhookRequest): RunName {
  const { appName = '', userId = '', sessionId = '' } = session ?? {};
  const run = { appName, userId, sessionId, invocationId };
  if (Object.values(run).some((name) => name === '' || name.includes('\0'))) throw logFilterInvalid('names no run');
  return run;
}
