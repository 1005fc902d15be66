import type { Browser, Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { browserOfFile, password, signIn, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

/** A page on which a new account has talked with an agent, at the address of the conversation. */
async function visitChat(chrome: Browser, words: string) {
  const visited = await visit(chrome, url, '/chat/echo');
  const { page } = visited;
  await send(page, words);
  return { ...visited, email: await emailOf(visited.caller) };
}

async function send(page: Page, words: string): Promise<void> {
  await page.locator('.composer textarea').fill(words);
  await page.keyboard.press('Enter');
  await page.locator('.prose', { hasText: words }).waitFor();
  await page.getByText('Completed').waitFor();
}

async function emailOf(caller: Caller): Promise<string> {
  return (await caller.request<{ email: string }>('GET', '/api/users/me')).body.email;
}

const isShown = (page: Page, email: string): Promise<void> => page.locator(`.who [title="${email}"]`).first().waitFor();
const kept = (page: Page): Promise<string> => page.evaluate<string>('JSON.stringify(localStorage)');
const signOut = (page: Page): Promise<void> => page.getByRole('button', { name: 'Sign out' }).click();

/** Does what happens when somebody comes back to the tab. */
const look = (page: Page): Promise<unknown> => page.evaluate(`dispatchEvent(new Event('focus'))`);

/** Gives the cookie of the browser to another account, as a page does that is not of the console. */
async function changeCookie(page: Page, email: string): Promise<void> {
  const call = { method: 'POST', headers: { 'content-type': 'application/json' } };
  const options = JSON.stringify({ ...call, body: JSON.stringify({ email, password }) });
  expect(await page.evaluate<number>(`fetch('/console/session', ${options}).then(({ status }) => status)`)).toBe(200);
}

test('the next account in a tab sees nothing of the former one, whose conversation goes on where it was after its own sign-in', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, email } = await visitChat(browser, 'words of the first');
  const next = await emailOf(await newAccount(url));
  const words = page.getByText('words of the first');
  const lose = async (): Promise<void> => {
    await context.clearCookies();
    // A request that is under way may be the first to find out: there is no link then.
    await page.evaluate(`history.pushState(null, '', '/console/runs'); dispatchEvent(new PopStateEvent('popstate'))`);
    await page.getByRole('alert').getByText('Your sign-in has ended.').waitFor();
    await page.goBack();
  };

  for (const leave of [() => signOut(page), lose]) {
    await leave();
    await signIn(page, next);
    await isShown(page, next);
    await page.locator('.thread').getByRole('alert').waitFor();
    expect(await words.count()).toBe(0);
    expect(await kept(page)).not.toContain('words of the first');
    await signOut(page);
    await expect.poll(() => kept(page)).toBe('{}');
    await signIn(page, email);
    await isShown(page, email);
    await words.first().waitFor();
  }

  await page.getByRole('link', { name: 'New chat' }).click();
  await send(page, 'words of another chat');
  await lose();
  await signIn(page, email);
  await isShown(page, email);
  await page.locator('.prose', { hasText: 'words of another chat' }).waitFor();
  // Its name in the list of chats, which only the browser keeps.
  await page.locator('.chats', { hasText: 'words of another chat' }).waitFor();
  await context.close();
});

test('a tab follows the account that another tab signs in, and that which it finds when it is looked at', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, email } = await visitChat(browser, 'words of the first');
  const next = await emailOf(await newAccount(url));
  const other = await context.newPage();
  await other.goto(`${url}/console/`);
  await signOut(other);
  await page.getByText('Your sign-in has ended.').waitFor();
  await signIn(other, next);
  await isShown(page, next);
  await page.locator('.thread').getByRole('alert').waitFor();
  expect(await page.getByText('words of the first').count()).toBe(0);

  await changeCookie(other, email);
  await look(page);
  await isShown(page, email);
  await page.getByText('words of the first').first().waitFor();
  await context.close();
});

test('a deletion is of the account whose address is shown, also when the browser is signed in as another one', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/account?tab=data');
  const next = await newAccount(url);
  await page.getByLabel('Your password').fill(password);
  await changeCookie(page, await emailOf(next));
  await page.getByRole('button', { name: 'Delete the account' }).click();
  await page.getByText('All its data is erased.').waitFor();
  await expect.poll(async () => (await caller.request('GET', '/api/users/me')).status).toBe(401);
  expect((await next.request('GET', '/api/users/me')).status).toBe(200);
  await context.close();
});
