import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { admin, faultsOf, openPage, signIn } from './open-console.ts';

const resources = new AsyncDisposableStack();
let browser: Browser | undefined;
let mesh: TestMesh;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  const only = ['artifacts', 'auth', 'keys', 'runs', 'sessions'];
  mesh = resources.use(await startMesh({ mode: inject('mode'), only, env: { AGENTS_DIR: agentsDir, ...admin } }));
}, 300_000);
afterAll(async () => {
  await leaveBrowser();
  await resources.disposeAsync();
});

async function open(chrome: Browser, email: string, path: string) {
  const opened = await openPage(chrome, mesh.url);
  await opened.page.goto(`${mesh.url}/console${path}`);
  await signIn(opened.page, email);
  return opened;
}

test('an admin sees slow accounts by their addresses, with the id below', { timeout: 120_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const caller = await newAccount(mesh.url);
  await caller.run(await caller.createSession('echo'), 'slow [[wait:1000]]');
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/admin');
  const row = page.getByRole('table', { name: 'Slow accounts' }).getByRole('row', { name: email });
  await row.locator('code', { hasText: /^[0-9a-f-]{36}$/ }).waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await faultsOf(page)).toEqual([]);
  await context.close();
});

test('the activity of an admin is what was done to the own account', { timeout: 120_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  await newAccount(mesh.url);
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/account?tab=audit');
  const entries = page.locator('#main .lines li');
  await entries.getByText('Signed in').first().waitFor();
  // The account of the admin was made at the start, and the others have signed up since.
  expect(await entries.getByText('Signed up').count()).toBe(1);
  await context.close();
});

test('an admin sees all accounts, page by page, also when the next page is asked for twice', {
  timeout: 120_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  for (let made = 0; made < 45; made += 1) await newAccount(mesh.url);
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/admin');
  const table = page.getByRole('table', { name: 'Accounts', exact: true });
  await expect.poll(() => table.getByRole('row').count()).toBe(21);
  const shown = (): string | null => new URL(page.url()).searchParams.get('page');
  const addresses = (): Promise<string[]> => table.locator('tbody td:first-child').allTextContents();
  const firstPage = await addresses();
  // The way to the next page keeps the focus, so that a keyboard goes on from page to page.
  await page.getByRole('button', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await addresses()).filter((it) => !firstPage.includes(it)).length).toBe(20);
  expect(shown()).toBe('2');
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/\/api\/users\/\?/, (route) => later.then(() => route.continue()));
  await page.keyboard.press('Enter');
  await expect.poll(shown).toBe('3');
  await page.keyboard.press('Enter');
  goOn();
  expect(shown()).toBe('3');
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(21);
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect.poll(() => table.getByRole('row').count()).toBe(21);
  await context.close();
});

test('the page for admins says to others that it is not for them', { timeout: 120_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const caller = await newAccount(mesh.url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const { context, page } = await open(browser, email, '/admin');
  await page.getByRole('heading', { name: 'For administrators' }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await context.close();
});

test('what holds a run is not shown below the failure to find another one', { timeout: 120_000 }, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const caller = await newAccount(mesh.url);
  const { body: events } = await caller.run(await caller.createSession('echo'), 'hello');
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/admin');
  const ask = async (id: string): Promise<void> => {
    await page.getByLabel('Id of the run').fill(id);
    await page.keyboard.press('Enter');
  };
  await ask(events[0]?.invocationId ?? '');
  const held = page.getByText('"status": "completed"');
  await held.waitFor();
  await ask('e-nothing');
  await page.getByRole('alert').getByText('Run not found').waitFor();
  expect(await held.count()).toBe(0);
  await context.close();
});
