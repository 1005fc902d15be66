import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { Caller } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, faultsOf, openHome, password, themes, visit } from './open-console.ts';

const url = inject('meshUrl');
const openedBrowser = browserOfFile();

test('the console signs in, streams an answer, keeps it over a reload and lists the run, without an error or a request to another origin', {
  timeout: 180_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visit(browser, url, '/chat/echo');
  await page.getByLabel('Write a message').waitFor();
  expect(await page.evaluate<number>(loadedBytes)).toBeLessThanOrEqual(120_000);
  await page.getByLabel('Write a message').fill('hello **console**');
  await page.keyboard.press('Enter');
  const answer = page.locator('.prose strong', { hasText: 'console' });
  await answer.waitFor();
  await page.getByText('Completed').waitFor();
  await page.reload();
  await answer.waitFor();
  await open(page, 'Runs');
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' }).click();
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  // The trace: the attempt, its agent, and the call of the model.
  const spans = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  await expect.poll(() => spans.count(), { timeout: 60_000 }).toBe(3);
  await spans.filter({ hasText: 'Attempt' }).waitFor();
  await open(page, 'Inbox');
  await page.getByText('Nothing waits for you').waitFor();
  await open(page, 'Home');
  await page.getByRole('table', { name: 'Latest runs' }).getByRole('link', { name: 'echo' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a person signs a program in with its code and the password, and denies another one', {
  timeout: 180_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const approved = await startProgram();
  const { context, page, complaints } = await visit(browser, url, `/device?code=${approved.user_code}`);
  await page.getByRole('heading', { name: 'a program of the test' }).waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('a program of the test is signed in').waitFor();
  expect(await claim(approved.device_code)).toMatchObject({ scope: 'runs:read' });
  const denied = await startProgram();
  await page.goto(`${url}/console/device`);
  await page.getByLabel('Code').fill(denied.user_code.toLowerCase());
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('a program of the test was denied').waitFor();
  expect(await claim(denied.device_code)).toMatchObject({ error: 'access_denied' });
  expect(complaints).toEqual([]);
  await context.close();
});

const screens = [
  '/',
  '/chat/echo',
  '/inbox',
  '/runs',
  '/sessions?app=echo',
  '/sessions/echo/user/order',
  '/agents',
  '/agents/echo',
  '/agents/new',
  '/agents/agent1?tab=edit',
  '/agents/agent1?tab=yaml',
  '/automation',
  '/automation?tab=mail',
  '/automation?tab=webhooks',
  '/connected/google?error=access_denied',
  '/keys?tab=limits',
  '/keys?tab=usage',
  '/account?tab=tokens',
  '/account?tab=signIns',
];

/** Widths of a phone, a laptop and a 4K screen, for people to look at. */
const widths = [360, 1_280, 3_840];
const shots = fileURLToPath(new URL('../../.artifacts/console-screens', import.meta.url));

/** Writes pictures of a screen, which nothing compares. */
async function shoot(page: Page, screen: string): Promise<void> {
  const name = screen.replaceAll(/\W+/g, '-').replaceAll(/^-|-$/g, '') || 'home';
  for (const width of widths) {
    await page.setViewportSize({ width, height: Math.round(width > 500 ? width * 0.56 : 740) });
    await page.screenshot({ path: join(shots, `${name}-${width}.png`) });
  }
  await page.setViewportSize({ width: 360, height: 740 });
}

test('every screen is accessible and fits a narrow phone in both themes', { timeout: 240_000 }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  await fill(caller);
  await page.setViewportSize({ width: 360, height: 740 });
  const faults: string[] = [];
  for (const screen of screens) {
    await page.goto(`${url}/console${screen}`);
    await page.locator('#main :is(h1, form)').first().waitFor();
    await expect.poll(() => page.locator('.skeleton').count()).toBe(0);
    for (const [colorScheme, rules] of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      faults.push(...(await faultsOf(page, rules)).map((fault) => `${screen} ${colorScheme}: ${fault}`));
    }
    if (process.env.VERIFY === 'full') await shoot(page, screen);
  }
  expect(faults).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('two tabs share one stream of changes, and a change of the state is refused over a newer one', {
  timeout: 180_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/sessions/echo/user/order?tab=state');
  let streams = 0;
  context.on('request', (request) => {
    if (request.url().endsWith('/api/changes')) streams += 1;
  });
  await page.getByRole('navigation', { name: 'Main' }).waitFor();
  await fill(caller);
  await page.reload();
  const state = page.getByLabel('State', { exact: true });
  await state.fill('{ "total": 2 }');
  const session = '/apps/echo/users/user/sessions/order';
  await caller.request('PATCH', session, { stateDelta: { total: 3 } });
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('alert').waitFor();
  expect((await caller.request<{ state: object }>('GET', session)).body.state).toEqual({ total: 3 });
  const other = await context.newPage();
  streams = 0;
  for (const tab of [page, other]) await tab.goto(`${url}/console/runs`);
  for (const tab of [page, other]) await tab.getByText('No runs yet').waitFor();
  const newMessage = { role: 'user', parts: [{ text: 'hello' }] };
  await caller.request('POST', '/run', { appName: 'echo', userId: 'user', sessionId: 'order', newMessage });
  for (const tab of [other, page]) {
    await tab.bringToFront();
    await tab.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' }).waitFor();
  }
  expect(streams).toBe(1);
  await context.close();
});

test('accounts beside each other, a server that is away, an error, a session that has ended and a deleted account are shown as they are', {
  timeout: 240_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const [one, other] = [await visit(browser, url, '/runs'), await visit(browser, url, '/runs')];
  const { caller, context, page } = one;
  await caller.run(await caller.createSession('echo'), 'hello');
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' }).waitFor();
  await other.page.getByText('No runs yet').waitFor();

  const problem = page.locator('#main').getByRole('alert');
  await page.goto(`${url}/console/runs/e-nothing`);
  await problem.getByText('Request').waitFor();
  await problem.getByRole('button', { name: 'Try again' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await context.setOffline(true);
  await open(page, 'Account');
  await page.getByText('The server cannot be reached.').first().waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await context.setOffline(false);
  // The first try may come before the browser is online again.
  await expect
    .poll(async () => {
      await page
        .getByRole('button', { name: 'Try again' })
        .first()
        .click({ timeout: 1_000 })
        .catch(() => undefined);
      return page.getByLabel('First name').count();
    })
    .toBe(1);

  const tab = await context.newPage();
  await tab.goto(`${url}/console/`);
  await tab.getByRole('button', { name: 'Sign out' }).click();
  await tab.getByLabel('E-mail').waitFor();
  // A token is good for up to a second after its end, so one look may still show something. The page may also hear of it before it looks.
  await expect
    .poll(async () => {
      for (const name of ['Sessions', 'Runs']) await open(page, name, 2_000).catch(() => undefined);
      return page.getByLabel('E-mail').count();
    })
    .toBe(1);
  expect(await faultsOf(page)).toEqual([]);

  await other.page.goto(`${url}/console/account?tab=data`);
  await other.page.getByLabel('Your password').fill(password);
  await other.page.getByRole('button', { name: 'Delete the account' }).click();
  await other.page.getByText('All its data is erased.').waitFor();
  for (const visited of [one, other]) await visited.context.close();
});

/** Compressed bytes of all files of the page so far, without answers of the API. */
const loadedBytes = `performance.getEntries()
  .filter(({ entryType, name }) => entryType === 'navigation' || (entryType === 'resource' && name.includes('/console/')))
  .reduce((sum, { encodedBodySize }) => sum + encodedBodySize, 0)`;

/** Makes something for every screen to show. */
async function fill(caller: Caller): Promise<void> {
  await caller.request('POST', '/apps/echo/users/user/sessions', { sessionId: 'order', state: { total: 1 } });
  await caller.request('PUT', '/api/usage/limits/account/day', { requests: 1_000 });
  await makeAgent(caller, { agent_name: 'helper' });
  const newMessage = { role: 'user', parts: [{ text: 'report' }] };
  const schedule = { cron: '0 9 * * 1-5', appName: 'echo', userId: 'user', newMessage, enabled: false };
  await caller.request('POST', '/api/schedules', schedule);
}

function open(page: Page, name: string, timeout?: number): Promise<void> {
  return page
    .getByRole('navigation', { name: 'Main' })
    .getByRole('link', { name, exact: true })
    .click({ ...(timeout !== undefined && { timeout }) });
}

interface Code {
  readonly device_code: string;
  readonly user_code: string;
}

async function startProgram(): Promise<Code> {
  const body = { client_id: 'a program of the test', scope: 'runs:read' };
  return (await new Caller(url).request<Code>('POST', '/api/auth/device/code', body)).body;
}

async function claim(deviceCode: string): Promise<object> {
  const body = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode };
  return (await new Caller(url).request('POST', '/api/auth/device/token', body)).body;
}
