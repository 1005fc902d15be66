import { expect, inject, test } from 'vitest';
import { browserOfFile, openPage, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

test('a button keeps the focus while its work is under way, and does the work once', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/automation');
  const newMessage = { role: 'user', parts: [{ text: 'report' }] };
  const schedule = { cron: '0 9 1 1 *', appName: 'echo', userId: 'user', newMessage };
  expect((await caller.request('POST', '/api/schedules', schedule)).status).toBe(201);
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
  let sent = 0;
  await page.route(
    ({ pathname }) => pathname.startsWith('/api/schedules/'),
    async (route) => {
      if (route.request().method() !== 'GET') {
        sent += 1;
        await later;
      }
      await route.continue();
    },
  );
  await page.getByRole('button', { name: 'Pause' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(() => sent).toBe(1);
  await page.keyboard.press('Enter');
  goOn();
  await page.getByRole('button', { name: 'Resume' }).waitFor();
  expect(await page.locator('button:focus').textContent()).toBe('Resume');
  expect(sent).toBe(1);
  await context.close();
});

test('a dialog with a form begins in its first field', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await visit(browser, url, '/keys');
  await page.getByRole('button', { name: 'Add a key' }).click();
  const name = page.getByRole('dialog').getByLabel('Name');
  await name.waitFor();
  await page.keyboard.type('work');
  expect(await name.inputValue()).toBe('work');
  await context.close();
});

test('the button of a form keeps the focus where the server refuses what was sent', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openPage(browser, url);
  await page.goto(`${url}/console/sign-in`);
  await page.getByLabel('E-mail').fill('nobody@example.com');
  await page.getByLabel('Password').fill('not the password');
  await page.getByRole('button', { name: 'Sign in', exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('alert').waitFor();
  expect(await page.locator('button:focus').textContent()).toBe('Sign in');
  await context.close();
});
