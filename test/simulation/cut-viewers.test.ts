import { setTimeout as sleep } from 'node:timers/promises';
import { findNatsServer } from '@agentmesh/lib/bus/testing';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { describe, expect, test } from 'vitest';
import { type Caller, newAccount, runBody, type SessionJson } from '../caller.ts';
import { createRandom } from '../fakes/random.ts';
import { checkFrames, type Followed, followRun } from '../follow-run.ts';
import { agentsDir, startMesh, type TestMesh } from '../mesh.ts';
import { natsEnvironments } from '../nats.ts';

const isFull = process.env.VERIFY === 'full';
const seed = Number(process.env.VERIFY_SEED ?? 1);
const cutsToMake = 5_000;
const [runsAtOnce, viewersOfRun] = [6, 4];
const killEveryMs = 10_000;
const hasNats = (await findNatsServer()) !== undefined;

interface Site {
  readonly mesh: TestMesh;
  readonly urls: readonly string[];
  readonly caller: Caller;
}

/** Two gateways, two processes that execute runs, and one of each other service. */
async function openSite(resources: AsyncDisposableStack, bus: string): Promise<Site> {
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  const [port = 0] = await freePorts(1);
  const nats = bus === 'NATS' ? await natsEnvironments(resources) : undefined;
  const mesh = resources.use(
    await startMesh({
      mode: 'separate',
      databaseUrl,
      doubled: ['runs', 'gateway'],
      env: { AGENTS_DIR: agentsDir, RATE_LIMIT_ENABLED: 'false' },
      ownEnv: (name) => ({
        ...nats?.(name.replace(/-2$/, '')),
        ...(name === 'gateway-2' && { PORT: String(port) }),
      }),
    }),
  );
  return { mesh, urls: [mesh.url, `http://127.0.0.1:${port}`], caller: await newAccount(mesh.url) };
}

/** Kills one of the processes that execute runs, and starts it again, until the signal aborts. Returns how often. */
async function killExecutors({ mesh }: Site, signal: AbortSignal): Promise<number> {
  let kills = 0;
  for (; !signal.aborted; kills += 1) {
    await sleep(killEveryMs, undefined, { signal }).catch(() => undefined);
    if (signal.aborted) break;
    await mesh.kill(kills % 2 === 0 ? 'runs' : 'runs-2');
    await sleep(500);
    await mesh.restart();
  }
  return kills;
}

/** Starts a run and follows it with several viewers: some from the beginning, one after the end. */
async function watchedRun(site: Site, random: () => number): Promise<Followed[]> {
  const { caller, urls } = site;
  const words = Array.from({ length: 6 }, (_, n) => `word${n}`).join(' ');
  const text = Array.from({ length: 5 }, () => `[[tool:get_current_time {}]] ${words} [[wait:300]] `).join('');
  const session = await settled(() => caller.createSession());
  const id = await settled(() => startRun(caller, session, text));
  const follow = (mostBytes: number) => followRun({ urls, token: caller.token ?? '', run: id, random, mostBytes });
  const followed = await Promise.all(Array.from({ length: viewersOfRun - 1 }, () => follow(3_000)));
  followed.push(await follow(6_000));
  const { events } = await settled(() => caller.readSession(session));
  const ids = events.filter(({ invocationId }) => invocationId === id).map((event) => event.id);
  for (const { frames } of followed) checkFrames(frames, ids);
  return followed;
}

async function startRun(caller: Caller, session: SessionJson, text: string): Promise<string> {
  const body = runBody(session, text, { streaming: true });
  const answer = await caller.request<{ invocationId: string }>('POST', '/runs', body);
  if (answer.status !== 202) throw new Error(`not accepted: ${answer.status}`);
  return answer.body.invocationId;
}

/** Repeats what fails while a process is away. */
async function settled<T>(act: () => Promise<T>): Promise<T> {
  for (const deadline = Date.now() + 60_000; ; await sleep(200)) {
    try {
      return await act();
    } catch (error) {
      if (Date.now() > deadline) throw error;
    }
  }
}

const buses = [...(hasNats ? ['NATS'] : []), 'PostgreSQL'];

describe.skipIf(!isFull).each(buses)('over %s', (bus) => {
  test(`${cutsToMake} forced cuts: nothing missing, repeated or reordered, and one end`, {
    timeout: 900_000,
  }, async () => {
    await using resources = new AsyncDisposableStack();
    const site = await openSite(resources, bus);
    const ending = new AbortController();
    const killing = killExecutors(site, ending.signal);
    const followed: Followed[] = [];
    let cuts = 0;
    const lane = async (number: number): Promise<void> => {
      const random = createRandom(seed * 100 + number);
      while (cuts < cutsToMake) {
        const seen = await watchedRun(site, random);
        followed.push(...seen);
        cuts = followed.reduce((sum, one) => sum + one.cuts, 0);
      }
    };
    await Promise.all(Array.from({ length: runsAtOnce }, (_, number) => lane(number))).finally(() => ending.abort());
    const frames = followed.flatMap((one) => one.frames);
    const counts = {
      viewers: followed.length,
      cuts,
      failures: followed.reduce((sum, one) => sum + one.failures, 0),
      kills: await killing,
      events: frames.length,
      gaps: frames.filter(({ event }) => event === 'gap').length,
      ends: frames.filter(({ event }) => event === 'end').length,
    };
    process.stdout.write(`cut viewers over ${bus}, seed ${seed}: ${JSON.stringify(counts)}\n`);
    expect(counts.ends).toBe(counts.viewers);
    expect(counts.events).toBeGreaterThan(counts.viewers * 10);
  });
});
