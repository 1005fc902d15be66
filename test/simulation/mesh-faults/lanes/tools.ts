import { randomUUID } from 'node:crypto';
import type { EventJson } from '@agentmesh/proto/event';
import { textOf } from '../../../caller.ts';
import type { Client } from '../clients/client.ts';
import { createLane } from '../clients/lane.ts';
import {
  checkEnd,
  checkLedger,
  checkTurns,
  countTakeover,
  endedRun,
  eventsOf,
  readSession,
  type RunJson,
  startRun,
} from '../clients/runs.ts';
import type { Story } from '../clients/story.ts';
import type { Effects } from '../effects.ts';

interface Order {
  readonly id: string;
  /** `pay` or `look`, in order. */
  readonly steps: readonly string[];
  readonly run: RunJson | undefined;
}

interface Response {
  readonly id: string;
  readonly name: string;
  readonly response: { readonly error?: unknown };
}

/** Agents that call tools whose work others can see: `pay`, which may never be called twice, and `look`, which may while it has no stored response. */
export const createTools = (effects: Effects) =>
  createLane<Order>({
    name: 'tools',
    app: 'buyer',
    act: async (client, story) => {
      const id = randomUUID();
      const steps = Array.from({ length: 1 + client.below(3) }, () => client.pick(['pay', 'look']));
      const longestMs = 2_000 / steps.length;
      const calls = steps.map(
        (name, index) =>
          `[[tool:${name} ${JSON.stringify({ order: id, step: index + 1, ms: client.below(longestMs) })}]]`,
      );
      const run = await startRun(client, story, { text: `${calls.join(' ')} order ${id}` });
      await client.pause(200);
      return { id, steps, run };
    },
    check: async (client, story, { id, steps, run: started }) => {
      if (started === undefined) return undefined;
      await checkLedger(client, story, [started]);
      const run = await endedRun(client, story, started.invocationId);
      const calls = effects.take(id);
      story.note(`the tools were called: ${calls.join(', ')}`);
      client.tally.count('tool calls', calls.length);
      if (run === undefined) return undefined;
      countTakeover(client, run);
      const session = await readSession(client, story);
      const events = eventsOf(session, run.invocationId);
      checkTurns(client, story, session);
      checkEnd(client, story, { run, events });
      checkCalls(client, story, { calls, attempts: run.attempt });
      if (run.status === 'completed') checkResponses(client, story, { events, steps, calls });
      return undefined;
    },
  });

/** No call comes again once a later one has been made: its response is stored then. */
function checkCalls(
  client: Client,
  story: Story,
  { calls, attempts }: { readonly calls: readonly string[]; readonly attempts: number },
): void {
  const numbers = calls.map((call) => Number(call.split(' ')[1]));
  if (numbers.some((number, index) => number < (numbers[index - 1] ?? 0)))
    client.tally.violate(story, `a tool was called again after its response was stored: ${calls.join(', ')}`);
  for (const call of new Set(calls)) {
    const times = calls.filter((one) => one === call).length;
    if (times > (call.startsWith('pay') ? 1 : attempts))
      client.tally.violate(story, `${call} was called ${times} times in ${attempts} attempts`);
  }
}

/** Each step of a completed run has one response, and a good one only if its tool was called. */
function checkResponses(
  client: Client,
  story: Story,
  {
    events,
    steps,
    calls,
  }: { readonly events: readonly EventJson[]; readonly steps: readonly string[]; readonly calls: readonly string[] },
): void {
  const { tally } = client;
  const parts = events.flatMap(({ content }) => content?.parts ?? []);
  const responses = parts.flatMap(({ functionResponse }) =>
    functionResponse ? [functionResponse as unknown as Response] : [],
  );
  if (responses.map(({ name }) => name).join() !== steps.join())
    tally.violate(story, `the steps ${steps.join()} have the responses ${responses.map(({ name }) => name).join()}`);
  responses.forEach(({ response, name }, index) => {
    const isUnknown = response.error !== undefined;
    if (isUnknown) tally.count('tool calls with an unknown outcome');
    else if (!calls.includes(`${name} ${index + 1}`))
      tally.violate(story, `${name} ${index + 1} was not called, and has a response`);
  });
  if (!textOf(events.at(-1)).includes('order ')) tally.violate(story, 'the last answer is not that of the agent');
}
