import { setTimeout as sleep } from 'node:timers/promises';
import { create, toBinary } from '@bufbuild/protobuf';
import { createBus, openDriver } from '@agentmesh/lib/bus';
import { findNatsServer, startNats } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { RunEndedSchema } from '@agentmesh/proto/sessions/v1';
import { measureRound } from '../measure.ts';
import { startMeshOneProcess } from '../targets/mesh-targets.ts';
import type { Figure, Part, PartOptions } from './part.ts';

const subject = 'agentmesh.sessions.v1.turn_granted';
const hintSeconds = 5;
const hintsPerTick = 10;
const tickMs = 5;
const messages = 50_000;
const batch = 500;
/** Pairs of rounds with and without NATS, alternately. */
const pairs = 3;
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
  return { label: 'hint over NATS, publish to handler at 2,000/s, p99 ms', value, atMost: 5 };
}

async function consumedPerSecond(open: Open): Promise<Figure> {
  await using publisher = await open('sessions');
  await using consumer = await open('webhooks');
  const stream = await createBus({ driver: publisher, service: 'sessions', log }).openStream([RunEndedSchema]);
  for (let from = 0; from < messages; from += batch) {
    await stream.append(Array.from({ length: batch }, (_, i) => messageOf(from + i)));
  }
  let handled = 0;
  const { promise: all, resolve } = Promise.withResolvers<void>();
  const started = performance.now();
  const bus = createBus({ driver: consumer, service: 'webhooks', log });
  const stop = await bus.consume(RunEndedSchema, 'webhooks', () => {
    handled += 1;
    if (handled === messages) resolve();
  });
  await all;
  const seconds = (performance.now() - started) / 1000;
  await stop();
  return { label: 'messages of an outbox consumed over NATS, per second', value: messages / seconds, atLeast: 10_000 };
}

function messageOf(number: number) {
  const ended = create(RunEndedSchema, { accountId: 'a', invocationId: `${number}`, sessionPk: BigInt(number % 100) });
  const payload = toBinary(RunEndedSchema, ended);
  return { id: `sessions:${number}`, subject: 'agentmesh.sessions.v1.run_ended', sender: 'sessions', payload };
}

/** The median of run throughput with NATS to the one without. */
async function runRatio(url: string, { say, signal }: PartOptions): Promise<Figure> {
  const ratios: number[] = [];
  const runsPerSecond = async (name: string, settings: Record<string, string>): Promise<number> => {
    const candidate = { name, start: () => startMeshOneProcess(settings) };
    return (await measureRound(candidate, { seconds: 5, history: false, say, signal })).runPerSecond;
  };
  for (let pair = 0; pair < pairs; pair += 1) {
    const without = await runsPerSecond('mesh, PostgreSQL as bus', {});
    ratios.push((await runsPerSecond('mesh, NATS as bus', { NATS_URL: url })) / without);
  }
  const value = ratios.toSorted((a, b) => a - b)[Math.floor(pairs / 2)] ?? 0;
  return { label: 'runs per second with NATS to without, ratio', value, atLeast: 0.97 };
}
