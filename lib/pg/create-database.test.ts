import { setTimeout as delay } from 'node:timers/promises';
import { createLogger, newSpent, requestContext } from '../telemetry/index.ts';
import { expect, test } from 'vitest';
import { openDatabase } from './index.ts';
import { testDatabaseUrl } from './testing/index.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const text = 'select pg_sleep(0.05)';

test.each(['a statement', 'a transaction', 'a transaction that may take long'])(
  'the time of %s within a call counts once for its request',
  async (kind) => {
    await using server = await testDatabaseUrl();
    const migrations = new URL('testing/', import.meta.url);
    await using db = await openDatabase({ service: 'alpha', url: server.url, poolSize: 2, migrations }, log);
    const ofCall = db.within({ signal: new AbortController().signal, timeoutMs: () => undefined });
    const work = {
      'a statement': () => ofCall.query({ text }),
      'a transaction': () => ofCall.transaction((tx) => tx.query({ text })),
      'a transaction that may take long': () => ofCall.forLongWork().transaction((tx) => tx.query({ text })),
    };
    const spent = newSpent();
    const beganAt = performance.now();
    await requestContext.run({ requestId: 'r', spent }, work[kind as keyof typeof work]);
    const tookMs = performance.now() - beganAt;
    // It is added when the work has settled.
    await delay(0);
    expect(spent.database).toBeGreaterThanOrEqual(50);
    expect(spent.database).toBeLessThanOrEqual(tookMs);
  },
);
