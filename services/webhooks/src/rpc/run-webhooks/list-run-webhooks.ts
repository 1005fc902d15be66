import { checkAccountId } from '@agentmesh/lib/rpc';
import { logFilterInvalid } from '../../errors.ts';
import type { RunWebhooks } from '../../deliveries/run-webhooks.ts';
import { listRunWebhookRows } from '../../store/run-webhooks.ts';
import type { RunWebhookHandlers } from './handlers.ts';

const [standard, most] = [100, 500];

/** Returns one page of the webhooks of an account's runs, without their secrets. */
export function listRunWebhooks({ db }: RunWebhooks): RunWebhookHandlers['listRunWebhooks'] {
  return async ({ accountId: asked, after, limit }) => {
    const accountId = checkAccountId(asked);
    if (limit < 0 || limit > most) throw logFilterInvalid(`has a limit over ${most}`);
    const size = limit || standard;
    const rows = await listRunWebhookRows(db, { accountId, after, limit: size });
    const webhooks = rows.map(({ appName, userId, sessionId, invocationId, url, createdAt }) => ({
      session: { accountId, appName, userId, sessionId },
      invocationId,
      url,
      createTime: createdAt.getTime() / 1_000,
    }));
    const last = rows.length < size ? undefined : rows.at(-1);
    return { webhooks, ...(last && { nextAfter: last.runSha256 }) };
  };
}
