import { createClient, type LoadClient, pastEvents } from '../load/load-client.ts';
import { meshOneProcess } from '../targets/mesh-targets.ts';
import type { Figure, Part } from './part.ts';

const clients = 16;
const windowMs = 10_000;
/** PostgreSQL's first autoanalyze comes after a minute or more. */
const windows = 10;
const user = 'u1';
const path = `/apps/echo/users/${user}/sessions`;

const operations = ['create', 'run', 'patch', 'read', 'delete'] as const;
type Operation = (typeof operations)[number];

/** Latencies in ms by window. */
type Latencies = Map<Operation, number[][]>;

/** Ordinary calls beside each other on a database that was empty at the start: each operation must stay as fast as it was. */
export const freshDatabase: Part = {
  name: 'fresh',
  measure: async ({ say, signal }) => {
    await using target = await meshOneProcess.start();
    const { url, token } = target;
    const client = createClient({ url, app: 'echo', connections: clients, ...(token !== undefined && { token }) });
    say(`${clients} clients for ${(windows * windowMs) / 1000} s`);
    const latencies = await measureMix(client, signal);
    return operations.flatMap((operation) => figuresOf(operation, latencies.get(operation) ?? []));
  },
};

async function measureMix(client: LoadClient, signal: AbortSignal): Promise<Latencies> {
  const started = performance.now();
  const latencies: Latencies = new Map(
    operations.map((operation) => [operation, Array.from({ length: windows }, () => [])]),
  );
  const timed = async <T>(operation: Operation, work: () => Promise<T>): Promise<T> => {
    const began = performance.now();
    const result = await work();
    latencies.get(operation)?.[Math.floor((began - started) / windowMs)]?.push(performance.now() - began);
    return result;
  };
  const work = async (): Promise<void> => {
    for (let round = 0; performance.now() - started < windows * windowMs; round += 1) {
      signal.throwIfAborted();
      await useSession(client, timed, round);
    }
  };
  await Promise.all(Array.from({ length: clients }, work));
  return latencies;
}

type Timed = <T>(operation: Operation, work: () => Promise<T>) => Promise<T>;

/** Every second session stays, so that the tables grow. */
async function useSession(client: LoadClient, timed: Timed, round: number): Promise<void> {
  const state = { k: 1, 'user:rounds': round };
  const created = await timed('create', () => client.request(path, { state, events: pastEvents(2) }));
  const { id: sessionId } = JSON.parse(created.text) as { id: string };
  const newMessage = { role: 'user', parts: [{ text: 'Hello, mesh' }] };
  const run = { appName: 'echo', userId: user, sessionId, newMessage, stateDelta: { k: 2, 'user:rounds': round } };
  await timed('run', () => client.request('/run', run));
  await timed('patch', () => client.request(`${path}/${sessionId}`, { stateDelta: { k: 3 } }, 'PATCH'));
  await timed('read', () => client.request(`${path}/${sessionId}`));
  if (round % 2 === 0) await timed('delete', () => client.request(`${path}/${sessionId}`, undefined, 'DELETE'));
}

function figuresOf(operation: Operation, byWindow: readonly number[][]): Figure[] {
  const medians = byWindow.map(medianOf);
  const [best, worst] = [Math.min(...medians), Math.max(...medians)];
  return [
    { label: `fresh database: ${operation}, best window of 10 s, p50 ms`, value: best },
    { label: `fresh database: ${operation}, worst window to best`, value: worst / best, atMost: 1.5 },
  ];
}

function medianOf(latencies: readonly number[]): number {
  return latencies.toSorted((a, b) => a - b)[Math.floor(latencies.length / 2)] ?? Infinity;
}
