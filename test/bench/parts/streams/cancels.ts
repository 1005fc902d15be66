import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createClient, type LoadClient } from '../../load/load-client.ts';
import { startDurablePostgres } from '../../targets/durable-postgres.ts';
import { startMeshOneProcess } from '../../targets/mesh-targets.ts';
import type { Figure, PartOptions } from '../part.ts';
import { type HangingModel, startHangingModel } from './hanging-model.ts';

/** Runs that are cancelled at each replica. While they are, at least as many are in flight. */
const cancels = 256;
const atOnce = 8;
const agentsDir = fileURLToPath(new URL('../../../agents', import.meta.url));

/** The time from a cancel to the close of the model's socket, at the replica that executes the run and at another one. */
export async function measureCancels({ say, signal }: PartOptions): Promise<Figure[]> {
  await using model = await startHangingModel();
  await using database = await startDurablePostgres();
  const settings = {
    DATABASE_URL: database.url,
    ENCRYPT_KEY: randomBytes(32).toString('base64url'),
    AGENTS_DIR: agentsDir,
    OPENAI_BASE_URL: model.baseUrl,
    OPENAI_API_KEY: 'key',
  };
  await using here = await startMeshOneProcess(settings);
  await using there = await startMeshOneProcess(settings);
  const client = ({ url }: { readonly url: string }) =>
    createClient({ url, app: 'chat', token: here.token, connections: 64 });
  say(`${3 * cancels} runs that wait for their model`);
  const runs = await startRuns(client(here), 3 * cancels);
  const own = await cancelAll(client(here), model, runs.slice(0, cancels));
  signal.throwIfAborted();
  const other = await cancelAll(client(there), model, runs.slice(cancels, 2 * cancels));
  const label = `cancel beside ${cancels} runs to the close of the model’s socket`;
  return [
    { label: `${label}, p50 ms`, value: quantile(own, 0.5) },
    { label: `${label}, p99 ms`, value: quantile(own, 0.99), atMost: 200 },
    { label: `${label}, executor on another replica, p50 ms`, value: quantile(other, 0.5) },
    { label: `${label}, executor on another replica, p99 ms`, value: quantile(other, 0.99), atMost: 200 },
  ];
}

interface Run {
  readonly id: string;
  /** Text in its message. */
  readonly mark: string;
}

function startRuns(client: LoadClient, count: number): Promise<Run[]> {
  const start = async (number: number): Promise<Run> => {
    const mark = `call-${number}-`;
    const sessionId = await client.createSession();
    const newMessage = { role: 'user', parts: [{ text: mark }] };
    const body = { appName: 'chat', userId: 'u1', sessionId, newMessage, streaming: true };
    const { text } = await client.request('/runs', body);
    return { id: (JSON.parse(text) as { invocationId: string }).invocationId, mark };
  };
  return Promise.all(Array.from({ length: count }, (_, number) => start(number)));
}

/** The times in milliseconds, shortest first. */
async function cancelAll(client: LoadClient, model: HangingModel, runs: readonly Run[]): Promise<number[]> {
  const calls = await Promise.all(runs.map(async ({ id, mark }) => ({ id, ...(await model.asked(mark)) })));
  const times: number[] = [];
  const cancelNext = async (): Promise<void> => {
    for (let next = calls.pop(); next !== undefined; next = calls.pop()) {
      const startedMs = performance.now();
      await client.request(`/runs/${next.id}/cancel`, {});
      times.push((await next.closed) - startedMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, cancelNext));
  return times.sort((a, b) => a - b);
}

function quantile(times: readonly number[], part: number): number {
  return times[Math.floor(times.length * part)] ?? 0;
}
