import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { Caller, newAccount, runBody, type SessionJson, textOf } from '../../caller.ts';

// An app of each project's mesh, made while the mesh runs.
const name = 'coded';
const folder = join(inject('agentsDir'), name);
const agent = (report: string) => `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
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
const talk = new FunctionTool({
  name: 'talk',
  description: 'Prints.',
  parameters: z.object({ word: z.string() }),
  execute: async ({ word }) => {
    console.log('%s begins', word, { size: 1 });
    while (!existsSync(join(import.meta.dirname, 'go.txt'))) await setTimeout(20);
    await Promise.all(['debug', 'info', 'warn', 'error'].map((level) => console[level](level, word)));
    return { said: word };
  },
});
const fall = new FunctionTool({
  name: 'fall', description: 'Throws.', execute: () => { throw new TypeError('no luck'); },
});
const crash = new FunctionTool({ name: 'crash', description: 'Ends.', execute: () => process.exit(3) });

export const rootAgent = new LlmAgent({ name: 'coded', model: 'echo/echo', tools: [getWeather, talk, fall, crash] });
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

interface RunLog {
  readonly lines: readonly {
    readonly time: number;
    readonly level: string;
    readonly message: string;
    readonly source: string;
    readonly attempt: number;
    readonly attributes?: Readonly<Record<string, unknown>>;
  }[];
  readonly leftOut?: number;
}

const logOf = async (run: string) => (await caller.request<RunLog>('GET', `/runs/${run}/log`)).body;

/** Begins a run that waits for `release`, and answers its id when its first line is there. */
async function talking(word: string, by = caller, user = 'user'): Promise<string> {
  const path = `/apps/${name}/users/${user}/sessions`;
  const { body: session } = await by.request<SessionJson>('POST', path, {});
  const body = runBody(session, `[[tool:talk {"word":"${word}"}]]`);
  const started = await by.request<{ invocationId: string }>('POST', '/runs', body);
  const id = started.body.invocationId;
  await expect.poll(async () => (await logOf(id)).lines?.length).toBe(1);
  return id;
}

test('what code of a run prints is in the log of this run alone, also while it goes on, for its account and not for an end user', async () => {
  const { body: made } = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
    name: 'for one user',
    scopes: ['runs:read', 'runs:write', 'sessions:write'],
    user_id: 'ann',
  });
  const ann = new Caller(caller.url, made.token);
  const [one, other] = await Promise.all([talking('apple'), talking('pear', ann, 'ann')]);
  const status = async (id: string) => (await caller.request<{ status: string }>('GET', `/runs/${id}`)).body.status;
  expect([await status(one), await status(other)]).toEqual(['running', 'running']);
  await writeFile(join(folder, 'go.txt'), '');

  for (const [run, word] of [
    [one, 'apple'],
    [other, 'pear'],
  ] as const) {
    await expect.poll(async () => (await logOf(run)).lines.length).toBe(5);
    const { lines, leftOut } = await logOf(run);
    expect([lines.map(({ level, message }) => `${level}: ${message}`), leftOut]).toEqual([
      [
        `info: ${word} begins { size: 1 }`,
        ...['debug', 'info', 'warn', 'error'].map((level) => `${level}: ${level} ${word}`),
      ],
      undefined,
    ]);
    for (const { source, attempt, time } of lines)
      expect([source, attempt, Math.abs(time - Date.now() / 1_000) < 60]).toEqual(['app', 1, true]);
  }
  for (const run of [one, other]) expect(await ann.request('GET', `/runs/${run}/log`)).toMatchObject({ status: 403 });
  const stranger = await newAccount(caller.url);
  for (const [by, run] of [
    [stranger, one],
    [caller, 'e-unknown'],
  ] as const) {
    const { status, body } = await by.request('GET', `/runs/${run}/log`);
    expect([status, body['code']]).toEqual([404, 'run_not_found']);
  }
});

test('a tool in code that throws is in the log of its run, with its place in the app and nothing of this program', async () => {
  const { headers } = await caller.run(await caller.createSession(name), '[[tool:fall {}]]');
  const run = headers.get('x-invocation-id') ?? '';
  await expect.poll(async () => (await logOf(run)).lines.length).toBe(1);
  const [line] = (await logOf(run)).lines;
  expect(line).toMatchObject({
    level: 'error',
    source: 'mesh',
    message: 'The tool fall has failed: TypeError: no luck',
    attributes: { tool: 'fall', stack: expect.stringMatching(/^at .*agent\.ts:\d+:\d+\)?$/) },
  });
  expect(JSON.stringify(line)).not.toContain(folder);
});
