import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type Caller, newAccount, textOf } from '../../caller.ts';

// An app of each project's mesh, made while the mesh runs.
const name = 'coded';
const folder = join(inject('agentsDir'), name);
const agent = (report: string) => `
import { FunctionTool, LlmAgent } from '@google/adk';
import { z } from 'zod';

const getWeather = new FunctionTool({
  name: 'get_weather',
  description: 'Tells the weather.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }, context) => {
    context?.state.set('city', city);
    return { report: '${report} in ' + city };
  },
});
const crash = new FunctionTool({ name: 'crash', description: 'Ends.', execute: () => process.exit(3) });

export const rootAgent = new LlmAgent({ name: 'coded', model: 'echo/echo', tools: [getWeather, crash] });
`;
const weather = '[[tool:get_weather {"city":"Rome"}]]';

let caller: Caller;

beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  await mkdir(folder);
  await writeFile(join(folder, 'agent.ts'), agent('sunny'));
  await vi.waitFor(async () => {
    const { body: apps } = await caller.request<string[]>('GET', '/list-apps');
    if (!apps.includes(name)) throw new Error('The app is not listed.');
  });
});
afterAll(() => rm(folder, { recursive: true }));

test('an app in code runs its tools, in a session of the mesh', async () => {
  const session = await caller.createSession(name);
  const frames = await caller.runSse(session, weather, { streaming: true });
  expect(JSON.stringify(frames)).toContain('"response":{"report":"sunny in Rome"}');
  const stored = await caller.readSession(session);
  expect(stored.state).toMatchObject({ city: 'Rome' });
  expect(stored.events).toHaveLength(4);
});

test('a crash of its code ends the run as failed and no other app; the session and the app go on', async () => {
  const session = await caller.createSession(name);
  const other = await caller.createSession('echo');
  const [frames, untouched] = await Promise.all([
    caller.runSse(session, '[[tool:crash {}]]'),
    caller.runSse(other, 'hello'),
  ]);
  const errorMessage = 'The code of the app "coded" was ended: it exited with code 3 while the tool "crash" ran.';
  expect(frames).toContainEqual(expect.objectContaining({ errorCode: 'APP_CODE_ENDED', errorMessage }));
  expect(untouched.at(-1)).not.toHaveProperty('errorCode');
  expect(JSON.stringify(await caller.runSse(session, weather))).toContain('sunny in Rome');
});

test('a message that is added to its run is seen behind the response of a tool, and answered when it was about to end', async () => {
  const run = async (ms: number) => {
    const session = await caller.createSession(name);
    const all: string[] = [];
    const statuses: number[] = [];
    const text = `[[wait:500]] ${weather} done [[wait:${ms}]]`;
    for await (const frame of caller.stream(session, text, { streaming: true })) {
      all.push(JSON.stringify(frame));
      if (statuses.length > 1) continue;
      const body = { newMessage: { parts: [{ text: `added ${statuses.length + 1}` }] } };
      statuses.push((await caller.request('POST', `/runs/${frame.invocationId}/messages`, body)).status);
    }
    return { session, all, statuses };
  };
  let done = await run(1_000);
  // On a busy machine the run may be over when its second message comes: then another one waits longer.
  for (const ms of [4_000, 16_000]) if (done.statuses.includes(409)) done = await run(ms);
  const { session, all, statuses } = done;
  expect(statuses).toEqual([202, 202]);
  expect(all.at(-1)).toContain('added 2');
  const { events } = await caller.readSession(session);
  expect(events.filter(({ author }) => author === 'user').map(textOf)).toContain('added 1');
  expect(events.at(-1)).toMatchObject({ author: 'coded' });
});

test('a change of its files counts from the next run on, and a mistake leaves the last good version', async () => {
  const session = await caller.createSession(name);
  const runs = async () => JSON.stringify(await caller.runSse(session, weather));
  await writeFile(join(folder, 'agent.ts'), agent('rainy'));
  await vi.waitFor(async () => expect(await runs()).toContain('rainy in Rome'));
  await writeFile(join(folder, 'agent.ts'), 'const a = ;');
  await vi.waitFor(async () => {
    const list = await caller.request('GET', '/list-apps?detailed=true');
    expect(JSON.stringify(list.body)).toContain('"file":"agent.ts","line":1');
  });
  expect(await runs()).toContain('rainy in Rome');
});

test('its runs have the spans of an app in YAML: the agent, each call of the model and each tool', async () => {
  interface Span {
    readonly id: string;
    readonly parentId?: string;
    readonly name: string;
    readonly attributes: { readonly 'gen_ai.operation.name'?: string };
  }
  const spansOf = async (app: string, text: string): Promise<readonly Span[]> => {
    const { headers } = await caller.run(await caller.createSession(app), text);
    const path = `/runs/${headers.get('x-invocation-id')}/trace`;
    const read = async () => (await caller.request<{ spans: Span[] }>('GET', path)).body.spans;
    await expect.poll(async () => (await read()).length, { timeout: 20_000 }).toBeGreaterThan(3);
    return read();
  };
  /** The spans as a tree of what was done, without the names of agents, models and tools. */
  const shapeOf = (spans: readonly Span[]) => {
    const kind = (of?: Span) => of?.attributes['gen_ai.operation.name'] ?? of?.name ?? '';
    const parent = ({ parentId }: Span) => spans.find(({ id }) => id === parentId);
    return spans.map((span) => `${kind(parent(span))} > ${kind(span)}`).toSorted();
  };
  const inCode = await spansOf(name, weather);
  expect(inCode.map((span) => span.name)).toEqual(
    expect.arrayContaining(['invocation', 'invoke_agent coded', 'execute_tool get_weather']),
  );
  expect(shapeOf(inCode)).toEqual(shapeOf(await spansOf('echo', '[[tool:get_current_time {}]]')));
});
