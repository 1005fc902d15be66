import { createQuery, type Database } from '@agentmesh/lib/pg';
import type { Reseal } from '@agentmesh/lib/service';

interface SecretRow {
  readonly account_id: string;
  readonly run_sha256: Buffer;
  readonly secret_id: string;
  readonly secret: string;
}

interface After {
  readonly account: string;
  readonly run: Buffer;
}

const batch = 100;

const selectSecrets = createQuery<After & { limit: number }, SecretRow>({
  text: (param) => `select account_id, run_sha256, secret_id, secret from run_webhooks
    where (account_id, run_sha256) > (${param.account}::uuid, ${param.run}::bytea)
    order by account_id, run_sha256 limit ${param.limit}`,
});

/** Replaces a secret, unless it has changed since it was read. */
const replaceSecret = createQuery<{ account: string; run: Buffer; from: string; to: string }, never>({
  text: (param) => `update run_webhooks set secret = ${param.to}
    where account_id = ${param.account} and run_sha256 = ${param.run} and secret = ${param.from}`,
});

export interface Reencryption {
  readonly db: Database;
  readonly reseal: Reseal;
  /** Takes lines about the progress. */
  readonly print: (line: string) => void;
}

/** Seals the secrets of webhooks of runs again under the present `ENCRYPT_KEY`. It may run beside the service, and again after it was ended. */
export async function reencrypt({ db, reseal, print }: Reencryption): Promise<void> {
  let [done, unreadable] = [0, 0];
  let after: After = { account: '00000000-0000-0000-0000-000000000000', run: Buffer.alloc(0) };
  for (;;) {
    const rows = await selectSecrets(db, { ...after, limit: batch });
    for (const { account_id: account, run_sha256: run, secret_id: id, secret: from } of rows) {
      const to = await reseal(from, { kind: 'signing', accountId: account, id });
      if (to === undefined) unreadable += 1;
      else if (to !== from) done += 1;
      if (to !== undefined && to !== from) await replaceSecret(db, { account, run, from, to });
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    after = { account: last.account_id, run: last.run_sha256 };
  }
  print(`run_webhooks.secret: encrypted again: ${done}; cannot be opened: ${unreadable}`);
}
