import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { runBody } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, faultsOf, openHome, openPage, themes, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 240_000;
const openedBrowser = browserOfFile();

/** Violations of WCAG 2.2 AA in what the page shows now, in both themes. */
async function judge(page: Page, state: string): Promise<string[]> {
  const faults: string[] = [];
  for (const [colorScheme, rules] of themes) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    faults.push(...(await faultsOf(page, rules)).map((fault) => `${state} ${colorScheme}: ${fault}`));
  }
  return faults;
}

/** Requests of screens, other than for the page, the sign-in and the stream of changes. */
const isFromService = ({ pathname }: URL): boolean =>
  !pathname.startsWith('/console') && !/\/(session|changes)$/.test(pathname);

const phone = { width: 360, height: 740 };
const isDrawn = (page: Page): Promise<void> => expect.poll(() => page.locator('.skeleton').count()).toBe(0);

const screens = [
  '/',
  '/runs',
  '/inbox',
  '/sessions?app=echo',
  '/agents',
  '/automation',
  '/automation?tab=mail',
  '/keys',
  '/keys?tab=limits',
  '/keys?tab=usage',
  '/account?tab=tokens',
  '/account?tab=signIns',
];
const others = ['/runs?status=failed', '/automation?tab=webhooks', '/account?tab=data', '/no-such-page'];

test('screens of an account that has nothing yet are accessible', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await openHome(browser, url);
  await page.setViewportSize(phone);
  const faults: string[] = [];
  for (const screen of [...screens, ...others]) {
    await page.goto(`${url}/console${screen}`);
    await page.locator('#main :is(h1, h2)').first().waitFor();
    await isDrawn(page);
    faults.push(...(await judge(page, screen)));
  }
  expect(faults).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('screens whose requests fail, and those of a browser that is offline, are accessible', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openHome(browser, url);
  await page.setViewportSize(phone);
  const faults: string[] = [];
  const problem = page.locator('#main').getByRole('alert').first();
  const body = { error: { code: 'internal', message: 'The service is away.' }, detail: 'The service is away.' };
  await page.route(isFromService, (route) => route.fulfill({ status: 500, json: body }));
  for (const screen of screens) {
    await page.goto(`${url}/console${screen}`);
    await problem.waitFor();
    faults.push(...(await judge(page, `${screen} away`)));
  }
  await page.unroute(isFromService);
  await page.goto(`${url}/console/`);
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await context.setOffline(true);
  for (const screen of ['/runs', '/inbox', '/account']) {
    await page.evaluate(
      `history.pushState(null, '', '/console${screen}'); dispatchEvent(new PopStateEvent('popstate'))`,
    );
    await problem.waitFor();
    faults.push(...(await judge(page, `${screen} offline`)));
  }
  expect(faults).toEqual([]);
  await context.close();
});

test('screens that are being read, and what is told in passing, are accessible', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await openHome(browser, url);
  await page.setViewportSize(phone);
  const faults: string[] = [];
  for (const screen of screens) {
    const answered = Promise.withResolvers<void>();
    await page.route(isFromService, (route) => answered.promise.then(() => route.continue()));
    await page.goto(`${url}/console${screen}`);
    await page.locator('.skeleton').first().waitFor();
    faults.push(...(await judge(page, `${screen} skeleton`)));
    answered.resolve();
    await isDrawn(page);
    await page.unroute(isFromService);
  }

  // A toast stays as long as the pointer is over it.
  const toast = page.locator('.toast');
  const judgeToast = async (state: string): Promise<void> => {
    await toast.hover();
    faults.push(...(await judge(page, state)));
    expect(await toast.count()).toBe(1);
    await toast.getByRole('button', { name: 'Close' }).click();
    await toast.waitFor({ state: 'detached' });
  };
  await page.goto(`${url}/console/account`);
  await page.getByLabel('First name').fill('Grace');
  await page.getByRole('button', { name: 'Save' }).click();
  await judgeToast('done');
  await page.goto(`${url}/console/account?tab=data`);
  const refusal = { detail: 'The account was exported too often.', code: 'too_many_exports' };
  const isExport = '**/api/users/me/export';
  await page.route(isExport, (route) => route.fulfill({ status: 400, json: refusal }));
  await page.getByRole('button', { name: 'Download everything' }).click();
  await toast.getByText(refusal.detail).waitFor();
  await judgeToast('failed');
  expect(faults).toEqual([]);
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
  await context.close();
});

type Open = (page: Page) => Promise<void>;

const press =
  (name: string): Open =>
  (page) =>
    page.getByRole('button', { name, exact: true }).first().click();

/** Dialogs, by the screen from which they are opened. */
const dialogs: readonly (readonly [screen: string, open: Open])[] = [
  ['/', (page) => page.keyboard.press('Control+k')],
  ['/', (page) => page.keyboard.press('?')],
  ['/', press('Menu')],
  ['/automation', press('Add a schedule')],
  ['/automation', press('Delete')],
  ['/keys', press('Add a key')],
  ['/keys', press('Delete')],
  ['/keys?tab=limits', press('Set a limit')],
  ['/account?tab=tokens', press('Make a token')],
  ['/sessions/echo/user/order', press('Delete')],
  ['/agents/helper', press('Delete')],
];

test('every dialog is accessible, also with nothing found, and leaves by Escape', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  await page.setViewportSize(phone);
  const key = { provider: 'openai', key_name: 'work', api_key_value: 'sk-test-0123456789abcdef' };
  await caller.request('POST', '/api/saved-api-keys', key);
  await caller.request('POST', '/apps/echo/users/user/sessions', { sessionId: 'order', state: { total: 1 } });
  const helper = `agent${await makeAgent(caller, { agent_name: 'helper' })}`;
  const newMessage = { role: 'user', parts: [{ text: 'report' }] };
  const schedule = { cron: '0 9 * * 1-5', appName: 'echo', userId: 'user', newMessage, enabled: false };
  await caller.request('POST', '/api/schedules', schedule);
  const faults: string[] = [];
  for (const [screen, open] of dialogs) {
    await page.goto(`${url}/console${screen.replace('helper', helper)}`);
    await page.locator('#main h1').waitFor();
    await isDrawn(page);
    await open(page);
    const dialog = page.getByRole('dialog');
    await dialog.waitFor();
    faults.push(...(await judge(page, `${screen} ${(await dialog.getAttribute('aria-label')) ?? ''}`)));
    if (await dialog.getByRole('combobox', { name: 'Find anything' }).count()) {
      await page.keyboard.type('nothing has this name');
      faults.push(...(await judge(page, 'nothing found')));
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  }
  expect(faults).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('forms with mistakes tell them in an accessible way', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openPage(browser, url);
  await page.setViewportSize(phone);
  const faults: string[] = [];
  const send = async (path: string, values: Readonly<Record<string, string>>): Promise<void> => {
    await page.goto(`${url}/console${path}`);
    for (const [label, value] of Object.entries(values)) await page.getByLabel(label, { exact: true }).fill(value);
    await page.locator('form button[type=submit]').click();
    await page.locator('form').getByRole('alert').waitFor();
    faults.push(...(await judge(page, path)));
  };
  await send('/', { 'E-mail': 'nobody@example.com', Password: 'wrong password' });
  await send('/sign-up', { 'First name': 'A', 'Last name': 'B', 'E-mail': 'nobody@example.com', Password: 'short' });
  await send('/auth/reset-password?token=wrong', { 'New password': 'correct horse battery' });
  await context.close();

  const visited = await visit(browser, url, '/account?tab=data');
  await visited.page.setViewportSize(phone);
  await visited.page.getByLabel('Your password').fill('wrong password');
  await visited.page.getByRole('button', { name: 'Delete the account' }).click();
  await visited.page.locator('form').getByRole('alert').waitFor();
  faults.push(...(await judge(visited.page, 'deletion')));
  await visited.page.goto(`${url}/console/automation`);
  await press('Add a schedule')(visited.page);
  const dialog = visited.page.getByRole('dialog');
  await dialog.locator('[name=cron]').fill('61 * * * *');
  await dialog.locator('[name=new_message]').fill('report');
  await dialog.getByRole('button', { name: 'Create' }).click();
  await dialog.getByRole('alert').waitFor();
  faults.push(...(await judge(visited.page, 'schedule')));
  expect(faults).toEqual([]);
  await visited.context.close();
});

/** Forms by their screen: how each is opened, what is written into it, and the button that sends it. */
const forms: readonly (readonly [
  screen: string,
  open: Open,
  values: Readonly<Record<string, string>>,
  send: string,
])[] = [
  ['/keys', press('Add a key'), { key_name: 'work', api_key_value: 'abc' }, 'Save'],
  ['/keys?tab=limits', press('Set a limit'), {}, 'Save'],
  ['/account?tab=tokens', press('Make a token'), { name: 'report', password: 'wrong password' }, 'Create'],
  ['/agents/helper?tab=edit', async () => undefined, { agent_model: 'nobody/nothing' }, 'Save'],
  ['/agents/helper?tab=yaml', async () => undefined, { yaml: 'name: helper\nmodle: x\n' }, 'Save'],
  ['/agents/new', async () => undefined, { yaml: 'name: [' }, 'Create'],
  ['/sessions/echo/user/order?tab=state', async () => undefined, { state: '{ no JSON' }, 'Save'],
];

test('every other form tells its mistakes in an accessible way', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await page.setViewportSize(phone);
  await caller.request('POST', '/apps/echo/users/user/sessions', { sessionId: 'order', state: { total: 1 } });
  const helper = `agent${await makeAgent(caller, { agent_name: 'helper' })}`;
  const faults: string[] = [];
  for (const [screen, open, values, send] of forms) {
    await page.goto(`${url}/console${screen.replace('helper', helper)}`);
    await page.locator('#main h1').waitFor();
    await isDrawn(page);
    await open(page);
    const form = page.locator('form').last();
    for (const [name, value] of Object.entries(values)) await form.locator(`[name=${name}]`).fill(value);
    await form.getByRole('button', { name: send, exact: true }).click();
    await form.getByRole('alert').waitFor();
    faults.push(...(await judge(page, `${screen} ${send}`)));
  }
  await page.goto(`${url}/console/device?code=BCDF-GHJK`);
  await page.locator('#main').getByRole('button').first().waitFor();
  faults.push(...(await judge(page, 'unknown code')));
  await caller.request('POST', '/runs', runBody(await caller.createSession('approve'), '[[state:paid=yes]]'));
  await page.goto(`${url}/console/inbox`);
  await page.getByLabel('Note for the agent (optional)').waitFor();
  faults.push(...(await judge(page, 'approval')));
  expect(faults).toEqual([]);
  await context.close();
});
