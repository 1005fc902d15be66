import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import pg from 'pg';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { visit } from './open-console.ts';

const stored = 10_000;
const resources = new AsyncDisposableStack();
let browser: Browser | undefined;
let mesh: TestMesh;
let databaseUrl: string;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  const database = resources.use(await testDatabaseUrl());
  databaseUrl = database.url;
  const only = ['artifacts', 'auth', 'keys', 'runs', 'sessions'];
  mesh = resources.use(await startMesh({ mode: inject('mode'), only, databaseUrl, env: { AGENTS_DIR: agentsDir } }));
}, 300_000);
afterAll(async () => {
  await leaveBrowser();
  await resources.disposeAsync();
});

/**
 * Shows the runs of a new account: one of now, and behind it `e-1` to `e-10000`, each a second older than the one before. Every hundredth is of another
 * user, every thousandth has cost $2.50, version 7 has answered every 2,500th, and the oldest has failed.
 */
async function visitRuns(chrome: Browser) {
  const visited = await visit(chrome, mesh.url, '/runs');
  await visited.page.getByText('No runs yet').waitFor();
  const session = await visited.caller.createSession('echo');
  await visited.caller.run(session, 'hello');
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query(
    `insert into sessions.runs
       (account_id, app_name, user_id, session_id, session_pk, invocation_id, status, owner, attempt, created_at, started_at, ended_at, usage, agent)
     select account_id, app_name, case when n % 100 = 0 then 'rare' else user_id end, session_id, session_pk, 'e-' || n,
       case when n = $1 then 'failed' else 'completed' end, owner, 1, t, t, t + interval '250 ms',
       case when n % 1000 = 0 then '{"modelCalls": 1, "totalTokenCount": 9, "cost": 2.5}'::json else usage end,
       case when n % 2500 = 0 then '{"version": "7"}'::json else agent end
     from sessions.runs, generate_series(1, $1::integer) n, lateral (select created_at - make_interval(secs => n) as t) time
     where session_id = $2`,
    [stored, session.id],
  );
  await client.end();
  await visited.page.reload();
  await expect.poll(() => idsOf(visited.page)).toHaveLength(50);
  return { ...visited, session };
}

const idsOf = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('table[aria-label="Runs"] a[data-row]'), ({ pathname }) => pathname.split('/').at(-1))`,
  );

const range = (from: number, to: number): string[] => Array.from({ length: to - from + 1 }, (_, n) => `e-${from + n}`);

const topOf = async (page: Page, id: string): Promise<number> =>
  Math.round((await page.locator(`a[href$="/${id}"]`).boundingBox())?.y ?? Number.NaN);

test('a list of 10,000 runs is read page by page, without a run twice or left out, while others come and no row moves under the pointer', {
  timeout: 240_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints, session } = await visitRuns(browser);
  const [newest = ''] = await idsOf(page);
  const more = page.getByRole('button', { name: 'Show more' });
  for (let pages = 2; pages <= 5; pages += 1) {
    await more.click();
    await expect.poll(() => idsOf(page)).toHaveLength(50 * pages);
  }
  expect(await idsOf(page)).toEqual([newest, ...range(1, 249)]);

  // A run that comes first pushes none of the others out, and does not move what is looked at.
  await page.mouse.move(0, 0);
  await page.locator('a[href$="/e-120"]').scrollIntoViewIfNeeded();
  const before = await topOf(page, 'e-120');
  await caller.run(session, 'again');
  await expect.poll(() => idsOf(page)).toHaveLength(251);
  expect((await idsOf(page)).slice(1)).toEqual([newest, ...range(1, 249)]);
  // Browsers scroll by whole pixels, and rows end between them.
  await expect.poll(async () => Math.abs((await topOf(page, 'e-120')) - before)).toBeLessThanOrEqual(1);
  await more.click();
  await expect.poll(() => idsOf(page)).toHaveLength(301);
  expect((await idsOf(page)).slice(1)).toEqual([newest, ...range(1, 299)]);

  await page.evaluate('scrollTo(0, 0)');
  await page.locator('a[href$="/e-2"]').hover();
  const [place, shown] = [await topOf(page, 'e-2'), await idsOf(page)];
  await caller.run(session, 'once more');
  await page.getByText('1 new', { exact: true }).waitFor();
  expect([await topOf(page, 'e-2'), await idsOf(page)]).toEqual([place, shown]);
  await page.mouse.move(0, 0);
  await expect.poll(async () => (await idsOf(page)).slice(1)).toEqual(shown);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a list is as it was left when somebody comes back to it, by the browser or by the link above a run', {
  timeout: 240_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visitRuns(browser);
  await page.getByLabel('Status').selectOption('Completed');
  await expect.poll(() => page.url()).toContain('status=completed');
  const more = page.getByRole('button', { name: 'Show more' });
  await expect.poll(() => idsOf(page)).toHaveLength(50);
  for (let pages = 2; pages <= 4; pages += 1) {
    await more.click();
    await expect.poll(() => idsOf(page)).toHaveLength(50 * pages);
  }
  const row = page.locator('a[href$="/e-150"]');
  const leave = async (): Promise<number> => {
    await row.scrollIntoViewIfNeeded();
    const top = await topOf(page, 'e-150');
    await row.click();
    await page.getByRole('heading', { name: 'Run e-150' }).waitFor();
    expect(await page.evaluate<number>('scrollY')).toBe(0);
    return top;
  };
  const isAsLeft = async (top: number): Promise<void> => {
    await expect.poll(() => idsOf(page)).toHaveLength(200);
    await expect.poll(async () => Math.abs((await topOf(page, 'e-150')) - top)).toBeLessThanOrEqual(1);
    const focused = `document.activeElement?.getAttribute('href')`;
    await expect
      .poll(() => page.evaluate<string | null>(focused))
      .toMatch(/^\/console\/runs\/[^/]+\/[^/]+\/[^/]+\/e-150$/);
    expect(page.url()).toContain('status=completed');
  };
  const before = await leave();
  await page.goBack();
  await isAsLeft(before);
  const again = await leave();
  await page.getByRole('link', { name: 'Events' }).click();
  await page.locator('.crumb').click();
  await isAsLeft(again);
  await more.click();
  await expect.poll(() => idsOf(page)).toHaveLength(250);
  expect(complaints).toEqual([]);
  await context.close();
});

test('filters find what is rare among 10,000 runs, however far back it is', { timeout: 240_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visitRuns(browser);
  await page.getByRole('searchbox', { name: 'User' }).fill('rare');
  await page.keyboard.press('Enter');
  const rare = range(1, stored / 100).map((_, n) => `e-${(n + 1) * 100}`);
  await expect.poll(() => idsOf(page)).toEqual(rare.slice(0, 50));
  const more = page.getByRole('button', { name: 'Show more' });
  await more.click();
  await expect.poll(() => idsOf(page)).toEqual(rare);

  const every = (step: number): string[] => range(1, stored / step).map((_, n) => `e-${(n + 1) * step}`);
  await page.goto(`${mesh.url}/console/runs`);
  await page.getByLabel('Cost', { exact: true }).selectOption('From $1');
  const readAll = async (): Promise<string[]> => {
    // It goes away when the search that an earlier press began has found the end.
    await more.click({ timeout: 1_000 }).catch(() => undefined);
    return idsOf(page);
  };
  await expect.poll(readAll).toEqual(every(1_000));
  await page.getByRole('searchbox', { name: 'Agent version' }).fill('7');
  await page.keyboard.press('Enter');
  await expect.poll(readAll).toEqual(every(5_000));
  await page.getByLabel('Cost', { exact: true }).selectOption('Any cost');
  await expect.poll(readAll).toEqual(every(2_500));
  await page.locator('a[href$="/e-2500"]').click();
  await page.getByRole('link', { name: '7', exact: true }).click();
  await expect.poll(() => new URL(page.url()).search).toBe('?app=echo&version=7');

  // The server ends a page after it has read 5,000 runs, with none that matches on the first.
  await page.goto(`${mesh.url}/console/runs?app=echo&status=failed`);
  await page.getByText('None among the latest').waitFor();
  await more.click();
  await expect.poll(() => idsOf(page)).toEqual([`e-${stored}`]);
  await more.waitFor({ state: 'detached' });
  await page.getByLabel('Status').selectOption('Cancelled');
  await page.getByText('None among the latest').waitFor();
  await more.click();
  await page.getByText('No run matches these filters').waitFor();
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await expect.poll(() => idsOf(page)).toHaveLength(50);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the runs of the last hour go on behind the first page, however long it was looked at', {
  timeout: 240_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visitRuns(browser);
  await page.goto(`${mesh.url}/console/runs?since=hour`);
  await expect.poll(() => idsOf(page)).toHaveLength(50);
  const before = await idsOf(page);
  await page.evaluate(`{
    const now = Date.now;
    Date.now = () => now() + 90_000;
  }`);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => idsOf(page)).toEqual([...before, ...range(50, 99)]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('Home says of more runs than it has read that there are at least so many', { timeout: 240_000 }, async ({
  skip,
}) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await visitRuns(browser);
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  await client.query("update sessions.runs set status = 'failed' where invocation_id between 'e-1' and 'e-7'");
  await client.end();
  await page.goto(`${mesh.url}/console/`);
  const tile = (name: string) => page.locator('.tile').filter({ hasText: name }).locator('strong');
  await expect.poll(() => tile('Failed in 24 h').textContent()).toMatch(/^\d+\+$/);
  expect(await tile('Running now').textContent()).toBe('0');
  await context.close();
});
