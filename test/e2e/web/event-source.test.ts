import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount, runBody } from '../../caller.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { TcpProxy } from '../../faults/tcp-proxy.ts';
import { checkFrames, type RunFrame } from '../../follow-run.ts';

const url = inject('meshUrl');
const resources = new AsyncDisposableStack();
let browser: Browser | undefined;
let proxy: TcpProxy;
let origin: string;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  proxy = resources.use(await TcpProxy.open(url));
  origin = `http://127.0.0.1:${proxy.port}`;
}, 300_000);

afterAll(async () => {
  await leaveBrowser();
  await resources.disposeAsync();
});

/** Keeps what an EventSource of the page receives in the page's `seen`, and leaves the source open: the server must end it. */
function listen(page: Page, path: string): Promise<void> {
  return page.evaluate((address) => {
    const seen: RunFrame[] = [];
    const source = new EventSource(address);
    for (const event of ['message', 'gap', 'end'])
      source.addEventListener(event, (message) => {
        const { lastEventId: id, data } = message as unknown as { readonly lastEventId: string; readonly data: string };
        seen.push({ event, id, data });
      });
    Object.assign(globalThis, { seen, source });
  }, path);
}

interface Listened {
  readonly seen: RunFrame[];
  /** 0 connecting, 1 open, 2 closed for good. */
  readonly state: number;
}

const listened = (page: Page): Promise<Listened> =>
  page.evaluate(() => {
    const { seen, source } = globalThis as unknown as { seen: RunFrame[]; source: EventSource };
    return { seen, state: source.readyState };
  });

const seenBy = async (page: Page): Promise<number> => (await listened(page)).seen.length;

/** A run that calls tools and then streams words, with pauses. It goes on for minutes unless it is cancelled. */
async function start(caller: Caller) {
  const session = await caller.createSession();
  const tools = '[[tool:get_current_time {}]] '.repeat(2);
  const text = `${tools}${'some words [[wait:500]] '.repeat(300)}`;
  const { body } = await caller.request<{ invocationId: string }>(
    'POST',
    '/runs',
    runBody(session, text, { streaming: true }),
  );
  return { session, id: body.invocationId };
}

/** Listens to a run, cuts the page's connections twice, cancels the run, and checks what the page has seen when its source has stopped by itself. */
async function listenThroughCuts(page: Page, caller: Caller, pathOf: (id: string) => Promise<string>): Promise<void> {
  const { session, id } = await start(caller);
  await listen(page, await pathOf(id));
  for (let cut = 0; cut < 2; cut += 1) {
    const before = await seenBy(page);
    await expect.poll(() => seenBy(page), { timeout: 60_000 }).toBeGreaterThan(before);
    proxy.reset();
  }
  await caller.request('POST', `/runs/${id}/cancel`, {});
  await expect.poll(async () => (await listened(page)).state, { timeout: 60_000 }).toBe(2);
  const { seen } = await listened(page);
  const { events } = await caller.readSession(session);
  checkFrames(
    seen,
    events.map((event) => event.id),
  );
  expect(seen.some(({ data }) => data.includes('"partial":true'))).toBe(true);
}

/** Reads the events of a run until what was sent matches. */
async function untilSent(caller: Caller, path: string, pattern: RegExp): Promise<void> {
  const leaving = new AbortController();
  const response = await caller.fetch('GET', path, undefined, leaving.signal);
  let sent = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    sent += chunk;
    if (pattern.test(sent)) break;
  }
  leaving.abort();
  expect(sent).toMatch(pattern);
}

describe("a browser's EventSource", () => {
  test('gets a run with a ticket, connects again by itself when it is cut off, and stops after the end', {
    timeout: 180_000,
  }, async ({ skip }) => {
    if (browser === undefined) return skip('there is no Chromium');
    const caller = await newAccount(url);
    const page = await browser.newPage();
    await page.goto(`${origin}/docs`);
    await listenThroughCuts(page, caller, async (id) => {
      const { body } = await caller.request<{ ticket: string }>('POST', `/runs/${id}/events/ticket`, {});
      return `/runs/${id}/events?ticket=${body.ticket}`;
    });
    await page.close();
  });

  test("does so with the web UI's cookie", { timeout: 180_000 }, async ({ skip }) => {
    if (browser === undefined) return skip('there is no Chromium');
    const caller = await newAccount(url);
    const { body: me } = await caller.request<{ email: string }>('GET', '/api/users/me');
    const page = await browser.newPage();
    await page.goto(`${origin}/dev-ui/?app=echo`);
    await page.getByLabel('E-mail').fill(me.email);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByPlaceholder('Type a message').waitFor();
    await listenThroughCuts(page, caller, async (id) => `/runs/${id}/events`);
    await page.close();
  });

  test('is told of a gap where it came too late for partial events', { timeout: 180_000 }, async ({ skip }) => {
    if (browser === undefined) return skip('there is no Chromium');
    const caller = await newAccount(url);
    // More partial events than are kept; then some now and then, because missing ones are asked for before a gap is told.
    const words = Array.from({ length: 800 }, (_, number) => `word${number} `).join('');
    const later = Array.from({ length: 150 }, (_, number) => `[[wait:700]] later${number} `).join('');
    const message = runBody(await caller.createSession(), `${words}[[wait:3000]] ${later}`, { streaming: true });
    const { body: run } = await caller.request<{ invocationId: string }>('POST', '/runs', message);
    const path = `/runs/${run.invocationId}/events`;
    const { body } = await caller.request<{ ticket: string }>('POST', `${path}/ticket`, {});
    const page = await browser.newPage();
    await page.goto(`${origin}/docs`);
    await untilSent(caller, path, /word799 |event: gap/);
    await listen(page, `${path}?ticket=${body.ticket}`);
    const gaps = async () => (await listened(page)).seen.filter(({ event }) => event === 'gap').length;
    await expect.poll(gaps, { timeout: 60_000 }).toBeGreaterThan(0);
    await caller.request('POST', `/runs/${run.invocationId}/cancel`, {});
    await expect.poll(async () => (await listened(page)).state, { timeout: 60_000 }).toBe(2);
    expect((await listened(page)).seen.at(-1)).toMatchObject({ event: 'end' });
    await page.close();
  });
});
