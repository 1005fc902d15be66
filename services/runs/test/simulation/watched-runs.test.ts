import { setImmediate as immediate } from 'node:timers/promises';
import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { RunProgressedSchema, RunsWatchedSchema } from '@agentmesh/proto/runs/v1/live';
import type { RunFrame } from '@agentmesh/proto/runs/v1';
import { FunctionTool, LlmAgent } from '@google/adk/core';
import { expect, test } from 'vitest';
import type { Context } from '../../src/context.ts';
import { openAgents } from '../../src/apps/turns/open-agents.ts';
import type { LiveRuns } from '../../src/execution/live/live-runs.ts';
import { usualSettings } from '../../src/apps/definition/settings/app-settings.ts';
import { watchEvents } from '../../src/execution/watching/watch-events.ts';
import { createRunWatchers } from '../../src/execution/watching/run-watchers.ts';
import { type AgentBench, createAppBench, liveOf, log } from '../run-agents.ts';
import { calls, ScriptLlm, streams } from '../script-llm.ts';

const cutsToMake = process.env.VERIFY === 'full' ? 10_000 : 200;

/** Streams pieces over some turns of the event loop, so that viewers come and go meanwhile. */
async function* slowly(...pieces: string[]) {
  for (const response of streams(...pieces)) {
    await immediate();
    await immediate();
    yield response;
  }
}

/** Three model calls that stream, with two calls of a tool between them. */
function newBench(live: LiveRuns): AgentBench {
  const look = new FunctionTool({ name: 'look', description: 'Looks.', execute: () => immediate('seen') });
  const text = () => slowly('a ', 'b ', 'c ', 'd ', 'e ', 'f ');
  const model = new ScriptLlm(calls('look'), text, () => slowly('unused'));
  const root = new LlmAgent({ name: 'helper', model, tools: [look] });
  const open = (options: Parameters<typeof openAgents>[1]) => openAgents(root, options);
  const app = { name: 'app', source: '', rootName: 'helper', description: '', language: 'yaml' as const };
  return createAppBench({ ...app, open, settings: usualSettings, graphJson: new Uint8Array(0) }, { live });
}

interface Seen {
  readonly frames: RunFrame[];
  cuts: number;
  ends: number;
}

/** Follows a run to its end, and connects again behind the last frame each time that it was cut off after a random number of frames. */
async function follow(context: Context, invocationId: string): Promise<Seen> {
  const seen: Seen = { frames: [], cuts: 0, ends: 0 };
  while (seen.ends === 0) {
    const { seq: afterSeq = 0, partial: afterPartial = 0 } = seen.frames.at(-1) ?? {};
    const leaving = new AbortController();
    const run = { accountId, userId: '', invocationId, afterSeq, afterPartial };
    let left = Math.floor(Math.random() * 4);
    for await (const { frames = [], isOver } of watchEvents(context, run, leaving.signal)) {
      const read = frames.slice(0, left) as RunFrame[];
      seen.frames.push(...read);
      left -= read.length;
      if (read.length < frames.length || left === 0) break;
      if (isOver === true) seen.ends += 1;
    }
    leaving.abort();
    if (seen.ends === 0) seen.cuts += 1;
    await immediate();
  }
  return seen;
}

/** The account of a bench. */
const accountId = 'a';

function check({ frames, ends }: Seen, stored: number): void {
  const whole = frames.filter(({ partial }) => partial === 0).map(({ seq }) => seq);
  expect({ whole, ends }).toEqual({ whole: Array.from({ length: stored }, (_, index) => index + 1), ends: 1 });
  let before = { seq: 0, partial: 0 };
  for (const { seq, partial, json } of frames) {
    const reached = before.seq === seq ? before.partial : 0;
    if (json.length === 0) expect(partial).toBeGreaterThan(reached);
    else if (partial > 0) expect({ seq, partial }).toEqual({ seq, partial: reached + 1 });
    expect(seq).toBeGreaterThanOrEqual(before.seq);
    before = { seq, partial };
  }
}

test(
  `${cutsToMake} forced cuts: viewers in two processes get each event once, in order, and one end`,
  async () => {
    const bus = createLocalBus();
    const [here, there] = [liveOf('here', bus), liveOf('there', bus)];
    for (const live of [here, there]) {
      await bus.subscribe(RunsWatchedSchema, async (hint) => live.onWatched(hint));
      await bus.subscribe(RunProgressedSchema, async (hint) => live.onProgressed(hint));
    }
    let cuts = 0;
    let partials = 0;
    while (cuts < cutsToMake) {
      const bench = newBench(here);
      const runWatchers = createRunWatchers();
      const parts = { sessions: bench.client, runWatchers, log, draining: new AbortController().signal };
      const contexts = [here, there, there].map((live) => ({ ...parts, live }) as unknown as Context);
      const { invocationId, seen } = await bench.begin({ streaming: true });
      const following = contexts.map((context) => follow(context, invocationId));
      await seen;
      runWatchers.ended(accountId, invocationId);
      for (const one of await Promise.all(following)) {
        check(one, bench.sessions.events(bench.key).length);
        cuts += one.cuts;
        partials += one.frames.filter(({ partial, json }) => partial > 0 && json.length > 0).length;
      }
    }
    expect(partials).toBeGreaterThan(0);
  },
  20 * 60_000,
);
