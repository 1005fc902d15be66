import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { createBus, openDriver } from '@agentmesh/lib/bus';
import { findNatsServer, startNats } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { createClient } from '../load/load-client.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Target } from '../targets/target.ts';
import type { Figure, Part, PartOptions } from './part.ts';

const subject = 'agentmesh.sessions.v1.turn_granted';
const hintSeconds = 5;
const hintsPerTick = 10;
const tickMs = 5;
const messages = 50_000;
const batch = 500;
/** Seconds of load for each of the two meshes. */
const pairs = 30;
const warmUpSeconds = 6;
const connections = 16;
const runsPerSession = 25;
const log = createLogger({ level: 'silent', name: 'bench' });

/** The bus over a NATS server on this machine, and what it costs runs. */
export const bus: Part = {
  name: 'bus',
  measure: async (options) => {
    const server = await findNatsServer();
    if (server === undefined) return [];
    await using nats = await startNats({ server });
    const open = (name: string) =>
      openDriver({ nats: { servers: [nats.url], inboxPrefix: `_INBOX.${name}`, name }, databaseUrl: '', log });
    options.say('hints');
    const latency = await hintLatency(open);
    options.say('consumed messages');
    const consumed = await consumedPerSecond(open);
    options.say('runs with NATS and without');
    const ratio = await runRatio(nats.url, options);
    return [latency, consumed, ...ratio];
  },
};

type Open = (name: string) => ReturnType<typeof openDriver>;

async function hintLatency(open: Open): Promise<Figure> {
  await using publisher = await open('sessions');
  await using subscriber = await open('runs');
  const latencies: number[] = [];
  await subscriber.subscribe(subject, (payload) => {
    latencies.push(performance.now() - Number(new TextDecoder().decode(payload)));
  });
  const end = performance.now() + hintSeconds * 1000;
  for (let due = performance.now(); due < end; due += tickMs) {
    await sleep(Math.max(0, due - performance.now()));
    for (let i = 0; i < hintsPerTick; i += 1) {
      const sent = new TextEncoder().encode(String(performance.now()));
      await publisher.publish(subject, sent, { sender: 'sessions' });
    }
  }
  await sleep(500);
  const expected = (hintSeconds * 1000 * hintsPerTick) / tickMs;
  if (latencies.length < expected) throw new Error(`${latencies.length} of ${expected} hints arrived`);
  latencies.sort((a, b) => a - b);
  const value = latencies[Math.floor(latencies.length * 0.99)] ?? 0;
  return { label: 'hint over NATS, published after its commit, to handler at 2,000/s, p99 ms', value, atMost: 5 };
}

async function consumedPerSecond(open: Open): Promise<Figure> {
  await using publisher = await open('sessions');
  await using consumer = await open('webhooks');
  const stream = await createBus({ driver: publisher, service: 'sessions', log }).openStream([AwaitedRunEndedSchema]);
  for (let from = 0; from < messages; from += batch) {
    await stream.append(Array.from({ length: batch }, (_, i) => messageOf(from + i)));
  }
  let handled = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const started = performance.now();
  const bus = createBus({ driver: consumer, service: 'webhooks', log });
  const stop = await bus.consume(AwaitedRunEndedSchema, 'webhooks', () => {
    handled += 1;
    if (handled === messages) resolve();
  });
  await all;
  const seconds = (performance.now() - started) / 1000;
  await stop();
  return { label: 'messages of an outbox consumed over NATS, per second', value: messages / seconds, atLeast: 10_000 };
}

function messageOf(number: number) {
  const ended = create(AwaitedRunEndedSchema, {
    accountId: 'a',
    invocationId: `${number}`,
    sessionPk: BigInt(number % 100),
  });
  const payload = toBinary(AwaitedRunEndedSchema, ended);
  return { id: `sessions:${number}`, subject: 'agentmesh.sessions.v1.awaited_run_ended', sender: 'sessions', payload };
}

/**
 * Run throughput with NATS to the one without. Both meshes are up all the time and get the load in turns of a second, so that other load on the
 * machine and the age of the processes affect both: throughput of a second varies by a fifth.
 */
async function runRatio(url: string, { say, signal }: PartOptions): Promise<Figure[]> {
  await using without = await startMeshOneProcess({});
  await using withNats = await startMeshOneProcess({ NATS_URL: url });
  const [one, other] = [createLoad(without), createLoad(withNats)];
  const loads = [one, other];
  for (const load of loads) await load.run(warmUpSeconds);
  const runs = new Map(loads.map((load) => [load, 0]));
  for (let pair = 0; pair < pairs; pair += 1) {
    signal.throwIfAborted();
    for (const load of pair % 2 === 0 ? loads : loads.toReversed())
      runs.set(load, (runs.get(load) ?? 0) + (await load.run(1)));
    if (pair % 10 === 9) say(`runs: ${runs.get(one)} without NATS, ${runs.get(other)} with`);
  }
  const value = (runs.get(other) ?? 0) / (runs.get(one) ?? 1);
  return [
    { label: 'runs per second with NATS as the bus', value: (runs.get(other) ?? 0) / pairs },
    { label: 'runs per second with NATS to without, ratio', value, atLeast: 0.97 },
  ];
}

/** Load of runs that goes on where it has stopped. */
function createLoad({ url, app, token }: Target) {
  const client = createClient({ url, app, connections, ...(token !== undefined && { token }) });
  const sessions = Array.from({ length: connections }, () => ({ id: '', runs: 0 }));
  return {
    /** Runs agents for some seconds, and returns how many runs have ended within this time. */
    run: async (seconds: number): Promise<number> => {
      const end = performance.now() + seconds * 1000;
      let count = 0;
      const connection = async (session: { id: string; runs: number }): Promise<void> => {
        while (performance.now() < end) {
          if (session.runs % runsPerSession === 0) session.id = await client.createSession();
          session.runs += 1;
          await client.run(session.id);
          if (performance.now() < end) count += 1;
        }
      };
      await Promise.all(sessions.map(connection));
      return count;
    },
  };
}
