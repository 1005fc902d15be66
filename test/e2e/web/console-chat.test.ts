import { expect, inject, test } from 'vitest';
import { browserOfFile, openHome, signIn } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

test('an open chat shows what is said in its session by another tab or program, while it is said', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  await caller.run(session, 'before');
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  const answers = page.locator('.message .prose');
  await expect.poll(() => answers.allTextContents()).toEqual(['before']);
  const running = caller.run(session, 'meanwhile [[wait:600000]]');
  const stop = page.getByRole('button', { name: 'Stop' });
  await stop.waitFor();
  await page.getByText('meanwhile').waitFor();
  await stop.click();
  await running;
  await page.getByText('Stopped.').waitFor();
  await caller.run(session, 'afterwards');
  await expect.poll(() => answers.allTextContents()).toContain('afterwards');
  await page.getByText('Completed').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('two messages that are typed quickly into a new chat are one conversation', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await openHome(browser, url);
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(
    ({ pathname }) => pathname.endsWith('/sessions'),
    async (route) => {
      if (route.request().method() === 'POST') await later;
      await route.continue();
    },
  );
  await page.goto(`${url}/console/chat/echo`);
  const field = page.getByLabel('Write a message');
  await field.fill('one');
  await page.keyboard.press('Enter');
  await expect.poll(() => field.inputValue()).toBe('');
  await page.keyboard.type('other');
  await page.keyboard.press('Enter');
  goOn();
  const answers = page.locator('.message .prose');
  await expect.poll(() => answers.allTextContents()).toEqual(['one']);
  await page.getByText('Completed').waitFor();
  expect(await field.inputValue()).toBe('other');
  await field.press('Enter');
  await expect.poll(() => answers.allTextContents()).toEqual(['one', 'other']);
  expect(complaints).toEqual([]);
  await context.close();
});

test('an open chat follows its run again when the server is back after more than five minutes', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  const running = caller.run(session, 'long [[wait:600000]]');
  await page.clock.install();
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  const stop = page.getByRole('button', { name: 'Stop' });
  await stop.waitFor();
  const away = ({ pathname }: URL): boolean => pathname.startsWith('/api/');
  await context.route(away, (route) => route.abort());
  const countLater = async (): Promise<number> => {
    await page.clock.fastForward(60_000);
    return stop.count();
  };
  await expect.poll(countLater).toBe(0);
  await context.unroute(away);
  await expect.poll(countLater).toBe(1);
  await stop.click();
  await running;
  await page.getByText('Stopped.').waitFor();
  await context.close();
});

test('a message that is being written stays in its conversation while another screen is shown, also over a new sign-in', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const session = await caller.createSession('echo');
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  const field = page.getByLabel('Write a message');
  await field.fill('half a message');
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs' }).click();
  await page.getByText('No runs yet').waitFor();
  await page.goBack();
  await expect.poll(() => field.inputValue()).toBe('half a message');

  expect((await caller.request('DELETE', '/api/auth/sessions')).status).toBe(200);
  await page.getByText('Your sign-in has ended.').waitFor();
  await signIn(page, email);
  await expect.poll(() => field.inputValue()).toBe('half a message');

  await page.getByRole('link', { name: 'New chat' }).click();
  await expect.poll(() => field.inputValue()).toBe('');
  await context.close();
});

test('the edit of the first message of a chat takes nothing from the message that is being written in the new chat', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  await caller.run(await caller.createSession('echo'), 'old words');
  await page.goto(`${url}/console/chat/echo?user=u1`);
  const [field, file] = [page.getByLabel('Write a message'), page.getByText('salary.xlsx', { exact: true })];
  await field.fill('words of the new chat');
  const attached = { name: 'salary.xlsx', mimeType: 'application/octet-stream', buffer: Buffer.from('secret') };
  await page.locator('.composer input[type=file]').setInputFiles(attached);
  await file.waitFor();

  await page.locator('.chats a').click();
  await page.getByRole('button', { name: 'Edit and send again' }).click();
  await expect.poll(() => field.inputValue()).toBe('old words');
  expect(await file.count()).toBe(0);
  await field.fill('changed words');
  await field.press('Enter');
  await expect.poll(() => page.locator('.message .prose').allTextContents()).toEqual(['changed words']);
  await page.getByText('Completed').waitFor();
  expect(await file.count()).toBe(0);
  await expect.poll(() => page.locator('.chats a', { hasText: 'changed words' }).count()).toBe(1);

  await page.getByRole('link', { name: 'New chat' }).click();
  await expect.poll(() => field.inputValue()).toBe('words of the new chat');
  await file.waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the edit of the first message of a chat makes a session when it is sent, and not before', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  await caller.run(session, 'old words');
  const stored = async (): Promise<number> =>
    (await caller.request<unknown[]>('GET', '/apps/echo/users/u1/sessions')).body.length;
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  await page.getByRole('button', { name: 'Edit and send again' }).click();
  const field = page.getByLabel('Write a message');
  await expect.poll(() => field.inputValue()).toBe('old words');
  await field.fill('changed words');
  await page.goBack();
  await page.getByText('Completed').waitFor();
  expect(await field.inputValue()).toBe('');
  expect(await stored()).toBe(1);

  await page.goForward();
  await expect.poll(() => field.inputValue()).toBe('changed words');
  await field.press('Enter');
  await page.getByText('Completed').waitFor();
  await expect.poll(() => page.locator('.message .prose').allTextContents()).toEqual(['changed words']);
  expect(await stored()).toBe(2);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the list of sessions has the first words of the chats of this browser, with their ids below', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const elsewhere = await caller.createSession('echo');
  await page.goto(`${url}/console/chat/echo?user=u1`);
  const field = page.getByLabel('Write a message');
  await field.fill('a trip to Lisbon');
  await field.press('Enter');
  await page.getByText('Completed').waitFor();
  const id = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  await page.goto(`${url}/console/sessions?app=echo&user=u1`);
  const names = page.getByRole('table', { name: 'Sessions' }).locator('.lead-cell');
  await expect.poll(() => names.allInnerTexts()).toEqual([`a trip to Lisbon\n${id}`, elsewhere.id]);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the edit of a later message of a chat shows what was said before it, and copies that when it is sent, and not before', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  for (const words of ['one', 'two', 'three']) await caller.run(session, words);
  const stored = async (): Promise<number> =>
    (await caller.request<unknown[]>('GET', '/apps/echo/users/u1/sessions')).body.length;
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  const answers = page.locator('.message .prose');
  await expect.poll(() => answers.allTextContents()).toEqual(['one', 'two', 'three']);
  await page.getByRole('button', { name: 'Edit and send again' }).nth(1).click();
  const field = page.getByLabel('Write a message');
  await expect.poll(() => field.inputValue()).toBe('two');
  await expect.poll(() => answers.allTextContents()).toEqual(['one']);
  await field.fill('changed words');
  await page.reload();
  await expect.poll(() => answers.allTextContents()).toEqual(['one']);
  expect(await stored()).toBe(1);

  await field.fill('changed words');
  await field.press('Enter');
  await expect.poll(() => answers.allTextContents()).toEqual(['one', 'changed words']);
  await page.getByText('Completed').waitFor();
  expect(await stored()).toBe(2);
  await page.reload();
  await expect.poll(() => answers.allTextContents()).toEqual(['one', 'changed words']);
  await expect.poll(() => page.locator('.chats a', { hasText: 'changed words' }).count()).toBe(1);
  expect(complaints).toEqual([]);
  await context.close();
});
