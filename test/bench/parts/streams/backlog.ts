import { get } from 'node:http';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { createClient } from '../../load/load-client.ts';
import { startDurablePostgres } from '../../targets/durable-postgres.ts';
import { startMeshOneProcess } from '../../targets/mesh-targets.ts';
import { residentMb } from '../../targets/server-process.ts';
import type { Target } from '../../targets/target.ts';
import type { Figure, PartOptions } from '../part.ts';

const events = 10_000;
const warmUps = 20;
const reads = 50;
const viewers = 200;
const stallMs = 5_000;

/** A client that lost its connection gets 10,000 events that it has missed; and 200 clients that ask for them and read nothing. */
export async function measureBacklog({ say, signal }: PartOptions): Promise<Figure[]> {
  await using database = await startDurablePostgres();
  await using target = await startMeshOneProcess({ DATABASE_URL: database.url });
  say(`a run of ${events} events`);
  const run = await makeRun(target, database.url);
  const times: number[] = [];
  for (let read = 0; read < warmUps + reads; read += 1) {
    signal.throwIfAborted();
    const ms = await readToEnd(target, run);
    if (read >= warmUps) times.push(ms);
  }
  times.sort((a, b) => a - b);
  say(`${viewers} viewers who read nothing`);
  const before = residentMb(target.pids);
  const peakMb = await stall(target, run);
  return [
    { label: `resume of a stream ${events} events back, p50 ms`, value: times[reads >> 1] ?? 0, atMost: 100 },
    { label: `resume of a stream ${events} events back, slowest of ${reads}, ms`, value: times.at(-1) ?? 0 },
    { label: `${viewers} viewers who read none of them: more memory, MB`, value: peakMb - before, atMost: 200 },
  ];
}

/** Runs an agent once, and repeats its answer in the database until the run has the events. Returns the run's id. */
async function makeRun({ url, token }: Target, databaseUrl: string): Promise<string> {
  const client = createClient({ url, app: 'echo', connections: 1, ...(token !== undefined && { token }) });
  const sessionId = await client.createSession();
  const newMessage = { role: 'user', parts: [{ text: 'An answer of some words, as agents give it.' }] };
  const { headers } = await client.request('/run', { appName: 'echo', userId: 'u1', sessionId, newMessage });
  const invocationId = String(headers['x-invocation-id']);
  const log = createLogger({ level: 'warn', name: 'bench' });
  const migrations = new URL('../../../../services/sessions/migrations/', import.meta.url);
  await using database = await openDatabase({ service: 'sessions', url: databaseUrl, poolSize: 1, migrations }, log);
  await database.query(
    {
      text: `with copied as (
          insert into events (account_id, session_pk, seq, event_id, invocation_id, author, ts, turn_start, body)
          select account_id, session_pk, n, event_id || '-' || n, invocation_id, author, ts, turn_start, body
          from events, generate_series(3, $2::int) n where invocation_id = $1 and seq = 2
        ), counted as (
          update runs set end_seq = $2::int where invocation_id = $1 returning session_pk
        )
        update sessions s set last_seq = $2::int from counted where s.pk = counted.session_pk`,
    },
    [invocationId, events],
  );
  return invocationId;
}

function open({ url, token }: Target, run: string) {
  return get(`${url}/runs/${run}/events?after=1`, { agent: false, headers: { authorization: `Bearer ${token}` } });
}

/** Milliseconds until the end event. */
async function readToEnd(target: Target, run: string): Promise<number> {
  const startedMs = performance.now();
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  open(target, run)
    .once('error', reject)
    .once('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (bytes: Buffer) => pieces.push(bytes));
      response.once('end', () => {
        const ms = performance.now() - startedMs;
        const ids =
          Buffer.concat(pieces)
            .toString()
            .match(/^id: .*$/gm) ?? [];
        if (ids.length === events && ids.at(-1) === `id: ${events}-end1`) resolve(ms);
        else reject(new Error(`${ids.length} of ${events} ids came, the last one is ${ids.at(-1)}`));
      });
    });
  return promise;
}

/** Most resident memory while the viewers wait, in MB. */
async function stall(target: Target, run: string): Promise<number> {
  const clients = Array.from({ length: viewers }, () => open(target, run));
  await Promise.all(clients.map((client) => new Promise((resolve) => client.once('response', resolve))));
  let peak = 0;
  for (const end = performance.now() + stallMs; performance.now() < end; ) {
    peak = Math.max(peak, residentMb(target.pids));
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  for (const client of clients) client.destroy();
  return peak;
}
