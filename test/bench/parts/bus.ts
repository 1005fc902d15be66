import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { createBus, openDriver } from '@agentmesh/lib/bus';
import { findNatsServer, startNats } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { AwaitedRunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { runLoad } from '../load/load-job.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Target } from '../targets/target.ts';
import type { Figure, Part, PartOptions } from './part.ts';

const subject = 'agentmesh.sessions.v1.turn_granted';
const hintSeconds = 5;
const hintsPerTick = 10;
const tickMs = 5;
const messages = 50_000;
const batch = 500;
/** Pairs of measurements with and without NATS, alternately. */
const pairs = 7;
const runSeconds = 3;
const warmUpSeconds = 8;
const connections = 16;
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
    return [latency, consumed, ratio];
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
 * The median of run throughput with NATS to the one without. Both meshes are up all the time and get the load in turns, each first in every second
 * pair, so that other load on the machine and the age of the processes affect both.
 */
async function runRatio(url: string, { say, signal }: PartOptions): Promise<Figure> {
  await using without = await startMeshOneProcess({});
  await using withNats = await startMeshOneProcess({ NATS_URL: url });
  const runsPerSecond = async (target: Target, seconds: number): Promise<number> => {
    const address = { url: target.url, app: target.app, ...(target.token !== undefined && { token: target.token }) };
    const job = { ...address, kind: 'run', connections, warmUpSeconds: 0.5, seconds } as const;
    return (await runLoad(job, signal)).perSecond;
  };
  for (const target of [without, withNats]) await runsPerSecond(target, warmUpSeconds);
  const ratios: number[] = [];
  for (let pair = 0; pair < pairs; pair += 1) {
    const first = pair % 2 === 0 ? without : withNats;
    const speeds = new Map([[first, await runsPerSecond(first, runSeconds)]]);
    const second = first === without ? withNats : without;
    speeds.set(second, await runsPerSecond(second, runSeconds));
    say(
      `runs per second: ${[without, withNats].map((it) => Math.round(speeds.get(it) ?? 0)).join(' without NATS, ')} with`,
    );
    ratios.push((speeds.get(withNats) ?? 0) / (speeds.get(without) ?? 1));
  }
  return { label: 'runs per second with NATS to without, ratio', value: medianOf(ratios), atLeast: 0.97 };
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return ((sorted[middle] ?? 0) + (sorted[sorted.length - 1 - middle] ?? 0)) / 2;
}
