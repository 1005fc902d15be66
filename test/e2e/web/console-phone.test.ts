import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { browserOfFile, openHome } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();
const phone = { width: 390, height: 780 };

test('on a phone the state of a chat leaves room for the message that is being written, and is closed by its own button', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  await caller.run(session, 'hello');
  const state = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`value ${index}`, index]));
  const { app, user, id } = { app: 'echo', user: 'u1', id: session.id };
  expect(
    (await caller.request('PATCH', `/apps/${app}/users/${user}/sessions/${id}`, { stateDelta: state })).status,
  ).toBe(200);
  await page.setViewportSize(phone);
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  await page.getByRole('button', { name: 'Show the state' }).click();
  const panel = page.getByRole('complementary', { name: 'State' });
  await panel.getByText('value 1', { exact: false }).first().waitFor();
  const field = page.getByLabel('Write a message');
  await field.click({ timeout: 5_000 });
  await page.keyboard.type('words');
  const send = page.getByRole('button', { name: 'Send', exact: true });
  await send.click({ timeout: 5_000 });
  await expect.poll(() => page.locator('.message .prose').allTextContents()).toEqual(['hello', 'words']);

  await panel.getByRole('button', { name: 'Close' }).click();
  await panel.waitFor({ state: 'detached' });
  expect(await page.evaluate<string>('document.activeElement.title')).toBe('Show the state');
  expect(complaints).toEqual([]);
  await context.close();
});

test('keys are told where there is a keyboard, also in a narrow window, and not on a phone', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await caller.run(await caller.createSession('approve'), '[[state:paid=yes]]');
  const told = async (shown: Page): Promise<boolean[]> => {
    await shown.goto(`${url}/console/inbox`);
    await shown.getByRole('button', { name: 'Approve' }).waitFor();
    const inbox = await shown.getByText('j and k choose').isVisible();
    await shown.getByRole('button', { name: 'Menu' }).click();
    const menu = shown.getByRole('dialog', { name: 'Menu' });
    await menu.waitFor();
    const [find, help] = [menu.locator('.find kbd'), menu.getByTitle('Keyboard shortcuts')];
    return [inbox, await find.isVisible(), await help.isVisible()];
  };
  await page.setViewportSize(phone);
  expect(await told(page)).toEqual([true, true, true]);
  const storageState = await context.storageState();
  const touched = await browser.newContext({ storageState, viewport: phone, hasTouch: true, isMobile: true });
  expect(await told(await touched.newPage())).toEqual([false, false, false]);
  await Promise.all([context.close(), touched.close()]);
});
