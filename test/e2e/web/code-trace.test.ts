import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test, vi } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { faultsOf, themes } from './open-console.ts';

const url = inject('meshUrl');
const name = 'desk';
const folder = join(inject('agentsDir'), name);
const agent = `
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { FunctionTool, LlmAgent, SequentialAgent } from '@google/adk';

const lookUp = new FunctionTool({ name: 'look_up', description: 'Looks up.', execute: () => ({ found: 'a kettle' }) });
const talk = async () => {
  console.log('it begins', { shelf: 3 });
  while (!existsSync(join(import.meta.dirname, 'go.txt'))) await setTimeout(20);
  console.debug('a detail\\nin two lines');
  console.warn('the shelf is nearly empty');
  throw new TypeError('nobody is at the desk: ' + '${'x'.repeat(300)}');
};
const tools = [lookUp, new FunctionTool({ name: 'talk', description: 'Talks.', execute: talk })];
const llm = (name) => new LlmAgent({ name, model: 'echo/echo', tools });

export const rootAgent = new SequentialAgent({ name: 'desk', subAgents: [llm('finder'), llm('writer')] });
`;
/** The spans of a run: the first agent calls its model, the tool and its model again, and the second one its model. */
const tree = [
  ' > invocation',
  'invocation > invoke_agent desk',
  'invoke_agent desk > invoke_agent finder',
  'invoke_agent finder > call_llm',
  'call_llm > execute_tool look_up',
  'invoke_agent finder > call_llm',
  'invoke_agent desk > invoke_agent writer',
  'invoke_agent writer > call_llm',
].toSorted();

let browser: Browser | undefined;
let caller: Caller;
let runId: string;
let sessionId: string;

beforeAll(async () => {
  await mkdir(folder);
  await writeFile(join(folder, 'agent.ts'), agent);
  caller = await newAccount(url);
  await vi.waitFor(async () => {
    const { body: apps } = await caller.request<string[]>('GET', '/list-apps');
    if (!apps.includes(name)) throw new Error('The app is not listed.');
  });
  const made = await caller.request<{ id: string }>('POST', `/apps/${name}/users/user/sessions`);
  sessionId = made.body.id;
  const newMessage = { role: 'user', parts: [{ text: 'A kettle [[tool:look_up {}]]' }] };
  const body = { appName: name, userId: 'user', sessionId, newMessage };
  runId = (await caller.request('POST', '/run', body)).headers.get('x-invocation-id') ?? '';
  browser = await openBrowser();
}, 300_000);
afterAll(async () => {
  await leaveBrowser();
  await rm(folder, { recursive: true });
});

interface DevSpan {
  readonly name: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
}

test('the trace of ADK’s web UI has the agents, model calls and tools of an app in code', async () => {
  const path = `/dev/apps/${name}/debug/trace/session/${sessionId}`;
  const read = async () => (await caller.request<readonly DevSpan[]>('GET', path)).body;
  await expect.poll(async () => (await read()).length).toBe(tree.length);
  const spans = await read();
  const parentOf = ({ parent_span_id: id }: DevSpan) => spans.find(({ span_id }) => span_id === id)?.name;
  expect(spans.map((span) => `${parentOf(span) ?? ''} > ${span.name}`).toSorted()).toEqual(tree);
});

const shots = fileURLToPath(new URL('../../.artifacts/console-screens', import.meta.url));

/** Opens a page that a browser has signed in to. */
async function visit(chrome: Browser, path: string): Promise<Page> {
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const context = await chrome.newContext({ viewport: { width: 1_280, height: 860 } });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(url + path);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  return page;
}

test('the console shows the trace of an app in code as a tree', { timeout: 180_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const page = await visit(browser, `/console/runs/${runId}`);
  const spans = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await expect.poll(() => spans.count(), { timeout: 60_000 }).toBe(tree.length);
  const text = (await spans.allInnerTexts()).join('\n');
  for (const word of ['desk', 'finder', 'writer', 'look_up']) expect(text).toContain(word);
  if (process.env.VERIFY === 'full') await page.screenshot({ path: join(shots, 'trace-of-code.png'), fullPage: true });
  await page.context().close();
});

test('the console shows the log of a run while it goes on, with levels in words, in both themes and on a phone', {
  timeout: 180_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const newMessage = { role: 'user', parts: [{ text: '[[tool:talk {}]]' }] };
  const body = { appName: name, userId: 'user', sessionId, newMessage };
  const started = await caller.request<{ invocationId: string }>('POST', '/runs', body);
  const page = await visit(browser, `/console/runs/${started.body.invocationId}?tab=log`);
  const lines = page.getByRole('list', { name: 'Log' }).getByRole('listitem');
  await lines.filter({ hasText: 'it begins { shelf: 3 }' }).waitFor();
  expect(await lines.count()).toBe(1);
  await page.getByText('Running').waitFor();
  await writeFile(join(folder, 'go.txt'), '');
  await expect.poll(() => lines.count(), { timeout: 30_000 }).toBe(4);
  await page.getByText('Completed').waitFor();
  const levels = await lines.locator('.badge').allInnerTexts();
  expect(levels).toEqual(['info', 'debug', 'warn', 'error']);
  expect(await lines.last().innerText()).toMatch(
    /The tool talk has failed: TypeError: nobody is at the desk[^]*agent\.ts:/,
  );
  for (const width of [360, 1_280])
    for (const [theme, rules] of themes) {
      await page.setViewportSize({ width, height: 860 });
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' });
      expect([width, theme, await faultsOf(page, rules)]).toEqual([width, theme, []]);
      if (process.env.VERIFY === 'full')
        await page.screenshot({ path: join(shots, `run-log-${theme}-${width}.png`), fullPage: true });
    }
  await page.goto(`${url}/console/runs/${runId}?tab=log`);
  await page.getByRole('heading', { name: 'Nothing is in the log' }).waitFor();
  await page.context().close();
});

test('ADK’s web UI shows the trace of an app in code', { timeout: 180_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const page = await visit(browser, `/dev-ui/?app=${name}&session=${sessionId}&userId=user`);
  await page.getByPlaceholder('Type a message').waitFor();
  await page.waitForLoadState('networkidle');
  await page.getByText('Traces', { exact: true }).click();
  for (const word of ['finder', 'call_llm', 'look_up', 'writer']) await page.getByText(word).first().waitFor();
  if (process.env.VERIFY === 'full') await page.screenshot({ path: join(shots, 'trace-of-code-web-ui.png') });
  await page.context().close();
});
