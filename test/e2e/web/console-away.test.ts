import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { agentsDir, startMesh, type TestMesh } from '../../mesh.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { admin, faultsOf, openPage, signIn, themes, visit } from './open-console.ts';

const resources = new AsyncDisposableStack();
let browser: Browser | undefined;
let mesh: TestMesh;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  const only = ['auth', 'sessions', 'runs', 'keys'];
  mesh = resources.use(
    await startMesh({ mode: 'separate', only, apart: [], env: { AGENTS_DIR: agentsDir, ...admin } }),
  );
}, 300_000);
afterAll(async () => {
  await leaveBrowser();
  await resources.disposeAsync();
});

/** Screens that read from the service of webhooks, which does not run. */
const away = ['/automation', '/automation?tab=mail'];
/** Other screens, and what they show. */
const there = [
  ['/runs', 'No runs yet'],
  ['/keys', 'Add a key'],
] as const;

test('screens of a service that does not run say so with the id of the request, are accessible, and leave other screens as they are', {
  timeout: 300_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await visit(browser, mesh.url, '/');
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  const faults: string[] = [];
  for (const screen of away) {
    await page.goto(`${mesh.url}/console${screen}`);
    const problem = page.locator('#main').getByRole('alert').first();
    await problem.getByText('Request').waitFor();
    await problem.getByRole('button', { name: 'Try again' }).waitFor();
    for (const [colorScheme, rules] of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      faults.push(...(await faultsOf(page, rules)).map((fault) => `${screen} ${colorScheme}: ${fault}`));
    }
  }
  for (const [screen, text] of there) {
    await page.goto(`${mesh.url}/console${screen}`);
    await page.locator('#main').getByText(text).first().waitFor();
  }
  expect(faults).toEqual([]);
  await context.close();
});

test('an admin sees which services fail and which are well, while some fail', { timeout: 120_000 }, async ({
  skip,
}) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openPage(browser, mesh.url);
  await page.goto(`${mesh.url}/console/admin`);
  await signIn(page, admin.DEFAULT_SUPERADMIN_EMAIL);
  const stateOf = (service: string) => page.locator('#main .lines .row', { hasText: service });
  await stateOf('webhooks').getByText('Not well', { exact: true }).waitFor();
  await stateOf('sessions').getByText('Well', { exact: true }).waitFor();
  expect(await faultsOf(page)).toEqual([]);

  // Where another answer or none comes in place of the checks, that is told.
  const alert = page.locator('#main section', { hasText: 'Health' }).getByRole('alert');
  await page.route('**/readyz', (route) => route.fulfill({ status: 503, contentType: 'text/html', body: 'a proxy' }));
  await page.reload();
  await alert.getByText('The server answered 503.').waitFor();
  await page.route('**/readyz', (route) => route.abort());
  await page.reload();
  await alert.getByText('The server cannot be reached.').waitFor();
  await context.close();
});
