import { createClient, type LoadClient } from '../load/load-client.ts';
import { meshOneProcess } from '../targets/mesh-targets.ts';
import type { Part } from './part.ts';

const total = 100_000;
const pageSize = 100;
const writers = 16;
const path = '/apps/listed/users/u1/sessions';

/** Time per page when listing the sessions of one user with 100,000 sessions, in both orders, page after page. */
export const sessionList: Part = {
  name: 'sessions-list',
  measure: async ({ say, signal }) => {
    await using target = await meshOneProcess.start();
    const { url, token } = target;
    const client = createClient({ url, app: 'listed', connections: writers, ...(token !== undefined && { token }) });
    say(`creating ${total} sessions`);
    await fill(client, signal);
    const latencies: number[] = [];
    for (const order of ['asc', 'desc']) {
      say(`reading them by page, ${order}`);
      await walk(client, { order, latencies, signal });
    }
    latencies.sort((a, b) => a - b);
    const quantile = (q: number) => latencies[Math.floor(latencies.length * q)] ?? 0;
    return [
      { label: `list page of ${pageSize} among ${total} sessions, p50 ms`, value: quantile(0.5) },
      { label: `list page of ${pageSize} among ${total} sessions, p99 ms`, value: quantile(0.99), atMost: 15 },
    ];
  },
};

/** Gives every session the state that the ADK web UI gives it. */
async function fill(client: LoadClient, signal: AbortSignal): Promise<void> {
  let created = 0;
  const writer = async () => {
    while (created < total) {
      signal.throwIfAborted();
      const displayName = `Conversation ${created++}`;
      await client.request(path, { state: { __session_metadata__: { displayName }, language: 'en' } });
    }
  };
  await Promise.all(Array.from({ length: writers }, writer));
}

interface Walk {
  readonly order: string;
  readonly latencies: number[];
  readonly signal: AbortSignal;
}

async function walk(client: LoadClient, { order, latencies, signal }: Walk): Promise<void> {
  let pages = 0;
  for (let query: string | undefined = `limit=${pageSize}&order=${order}`; query !== undefined; pages += 1) {
    signal.throwIfAborted();
    const started = performance.now();
    const { headers } = await client.request(`${path}?${query}`);
    latencies.push(performance.now() - started);
    const cursor = headers['x-next-cursor'];
    query = cursor === undefined ? undefined : `limit=${pageSize}&cursor=${String(cursor)}`;
  }
  if (pages !== total / pageSize) throw new Error(`${pages} pages instead of ${total / pageSize}`);
}
