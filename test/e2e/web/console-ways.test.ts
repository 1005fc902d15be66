import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { browserOfFile, openHome, openPage, password, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

test('the link that skips the navigation gives the focus to the content', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await visit(browser, url, '/keys');
  await page.getByRole('heading', { name: 'Keys and limits' }).waitFor();
  await page.getByRole('link', { name: 'Skip to content' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => page.evaluate<string>('document.activeElement.id')).toBe('main');
  await page.keyboard.press('Tab');
  expect(await page.evaluate<boolean>(`document.activeElement.closest('main') !== null`)).toBe(true);
  await context.close();
});

test('the menu of a narrow screen closes also when the screen that is shown is chosen', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await visit(browser, url, '/keys');
  await page.getByRole('heading', { name: 'Keys and limits' }).waitFor();
  await page.setViewportSize({ width: 360, height: 740 });
  for (const screen of ['/keys', '/keys?tab=limits']) {
    await page.goto(`${url}/console${screen}`);
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('dialog').getByRole('link', { name: 'Keys and limits' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByText('No saved keys').waitFor();
  }
  await context.close();
});

const pressAt = async (page: Page, x: number): Promise<void> => {
  const box = await page.getByRole('dialog').boundingBox();
  if (box === null) throw new Error('there is no dialog');
  await page.mouse.click(box.x + x, box.y + box.height / 2);
};

test('a press on the margin of a dialog keeps what is typed in it, and one beside it closes it', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await visit(browser, url, '/keys');
  await page.getByText('No saved keys').waitFor();
  await page.getByRole('button', { name: 'Add a key' }).click();
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.fill('work');
  await pressAt(page, 8);
  expect(await name.inputValue()).toBe('work');
  await pressAt(page, -8);
  await name.waitFor({ state: 'detached' });
  await context.close();
});

test('the search finds a session of the latest runs by its id', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('echo', { sessionId: 'order-77' });
  await caller.run(session, 'hello');
  await caller.run(session, 'again');
  await page.reload();
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type('order-77 session');
  await expect.poll(() => page.getByRole('option').allTextContents()).toEqual(['echo · order-77Session']);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Session order-77' }).waitFor();
  await context.close();
});

test('runs and sessions of the same minute have titles that differ', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const titles = new Set<string | null>();
  for (const text of ['one', 'other']) {
    const session = await caller.createSession('echo');
    const run = (await caller.run(session, text)).headers.get('x-invocation-id');
    for (const screen of [`/runs/${run}`, `/sessions/echo/u1/${session.id}`]) {
      await page.goto(`${url}/console${screen}`);
      titles.add(await page.getByRole('heading', { level: 1, name: /^(Run|Session) / }).textContent());
    }
  }
  expect(titles.size).toBe(4);
  await page.goto(`${url}/console/chat/echo?user=u1`);
  const rows = page.getByRole('navigation', { name: 'Chats' }).locator('code');
  await expect.poll(async () => new Set(await rows.allTextContents()).size).toBe(2);
  await context.close();
});

test('the list of sessions shows a long id beside its time, and not under it, on a phone', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await page.setViewportSize({ width: 375, height: 740 });
  for (const body of [undefined, { sessionId: 'x'.repeat(100) }]) await caller.createSession('echo', body);
  await page.goto(`${url}/console/sessions?app=echo&user=u1`);
  const rows = page.getByRole('table', { name: 'Sessions' }).locator('tbody tr');
  await expect.poll(() => rows.count()).toBe(2);
  for (const row of await rows.all()) {
    const [id, time] = [await row.locator('code').boundingBox(), await row.locator('time').boundingBox()];
    expect((id?.x ?? NaN) + (id?.width ?? NaN)).toBeLessThanOrEqual(time?.x ?? NaN);
  }
  await context.close();
});

/** Takes away what browsers give only to pages of HTTPS and of their own machine. */
const plainHttp = `
  delete Crypto.prototype.randomUUID;
  for (const name of ['clipboard', 'locks', 'mediaDevices']) delete Navigator.prototype[name];
`;

test('a page of plain HTTP signs in, follows what changes and copies', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const { context, page, complaints } = await openPage(browser, url);
  await context.addInitScript(plainHttp);
  await page.goto(`${url}/console/runs`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  const followed = page.waitForResponse((response) => response.url().endsWith('/api/changes'));
  await page.keyboard.press('Enter');
  await page.getByText('No runs yet').waitFor();
  await followed;
  await caller.run(await caller.createSession('echo'), 'hello');
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' }).click();
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('The link is copied.').waitFor();
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Find anything' });
  await field.press('Control+v');
  expect(await field.inputValue()).toBe(page.url());
  expect(complaints).toEqual([]);
  await context.close();
});

test('a page of plain HTTP says that it copied nothing where the browser refuses to copy', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await context.addInitScript(`${plainHttp} Document.prototype.execCommand = () => false;`);
  const run = (await caller.run(await caller.createSession('echo'), 'hello')).headers.get('x-invocation-id');
  await page.goto(`${url}/console/runs/${run}`);
  await page.getByRole('button', { name: 'Copy link' }).click();
  await page.getByText('The browser did not copy it.').or(page.getByText('The link is copied.')).waitFor();
  expect(await page.getByText('The link is copied.').count()).toBe(0);
  await context.close();
});

/** A browser without windows shows all of its tabs: says of one whether it is seen. */
const showTab = (page: Page, isSeen: boolean): Promise<void> =>
  page.evaluate(`{
    Object.defineProperty(document, 'hidden', { configurable: true, value: ${!isSeen} });
    document.dispatchEvent(new Event('visibilitychange'));
  }`);

test('any number of tabs of plain HTTP can be open, and the one that is seen follows what changes', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/runs');
  await page.getByText('No runs yet').waitFor();
  await context.addInitScript(plainHttp);
  const open = async (tab: Page): Promise<Page> => {
    const followed = tab.waitForResponse((response) => response.url().endsWith('/api/changes'));
    await tab.goto(`${url}/console/runs`);
    await tab.getByText('No runs yet').waitFor();
    await followed;
    return tab;
  };
  await open(page);
  // A browser has six connections to such a server for all its tabs.
  for (let tabs = 2, tab = page; tabs <= 8; tabs += 1) {
    await showTab(tab, false);
    tab = await open(await context.newPage());
    if (tabs === 8) await showTab(tab, false);
  }
  await caller.run(await caller.createSession('echo'), 'hello');
  await showTab(page, true);
  const rows = page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' });
  await expect.poll(() => rows.count()).toBe(1);
  await caller.run(await caller.createSession('echo'), 'again');
  await expect.poll(() => rows.count()).toBe(2);
  await context.close();
});

test('the address of a thing that was deleted leads back to its list', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openHome(browser, url);
  for (const [screen, way, list] of [
    ['/runs/none', 'Runs', '/runs'],
    ['/sessions/echo/u1/none', 'Sessions', '/sessions?app=echo&user=u1'],
    ['/agents/none', 'Agents', '/agents'],
    ['/chat/echo/none?user=u1', 'New chat', '/chat/echo?user=u1'],
  ] as const) {
    await page.goto(`${url}/console${screen}`);
    await page.locator('.state').getByRole('link', { name: way }).click();
    await expect.poll(() => page.url()).toBe(`${url}/console${list}`);
  }
  await context.close();
});

test('an address with an unknown tab shows the first one, and a filter shows the value that it filters by', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  const run = (await caller.run(session, 'hello')).headers.get('x-invocation-id');
  for (const screen of ['/keys', '/automation', '/account', `/runs/${run}`, `/sessions/echo/u1/${session.id}`]) {
    await page.goto(`${url}/console${screen}?tab=nope`);
    const tabs = page.getByRole('main').getByRole('navigation').getByRole('link');
    await expect.poll(() => tabs.first().getAttribute('aria-current')).toBe('page');
  }
  await page.goto(`${url}/console/runs?status=nope&app=gone`);
  for (const [name, value] of [
    ['Status', 'nope'],
    ['Agent', 'gone'],
  ] as const)
    await expect.poll(() => page.getByLabel(name, { exact: true }).inputValue()).toBe(value);
  await context.close();
});
