import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { browserOfFile, openHome, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

test('what changes while a list is being read is shown when the read ends', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/account?tab=tokens');
  await page.getByText('No tokens').waitFor();
  const body = { name: 'report', scopes: ['runs:read'], expires_in_seconds: 86_400 };
  expect((await caller.request('POST', '/api/auth/tokens', body)).status).toBe(201);
  await page.reload();
  const row = page.getByRole('row').filter({ hasText: 'report' });
  await row.waitFor();

  // The answer of one read is as it was before the change, and comes after it.
  const [read, answered] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await page.route(
    ({ pathname }) => pathname === '/api/auth/tokens',
    async (route) => {
      const response = await route.fetch();
      read.resolve();
      await answered.promise;
      await route.fulfill({ response });
    },
    { times: 1 },
  );
  await lookAgain(page);
  await read.promise;
  await row.getByRole('button', { name: 'Revoke' }).click();
  const revoked = page.waitForResponse((response) => response.request().method() === 'DELETE');
  await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
  await revoked;
  await page.evaluate('new Promise(requestAnimationFrame)');
  answered.resolve();
  await page.getByText('No tokens').waitFor();
  await context.close();
});

/** The page is read again when the window is looked at after a while. */
const lookAgain = (page: Page): Promise<void> =>
  page.evaluate(`{
    const now = Date.now;
    Date.now = () => now() + 60_000;
    dispatchEvent(new Event('focus'));
  }`);

/** Numbers of the messages that are shown, in order. */
const shown = (page: Page): Promise<string[]> =>
  page.evaluate<string[]>(
    `Array.from(document.querySelectorAll('.thread .bubble, .thread .prose'), ({ textContent }) => textContent.trim())`,
  );

const range = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, n) => String(from + n));

test('messages of a chat are shown once and in order when earlier ones are read, the chat is left and others were added meanwhile', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/');
  const events = range(0, 450).map((text, number) => ({
    author: number % 2 === 0 ? 'user' : 'echo',
    content: { role: number % 2 === 0 ? 'user' : 'model', parts: [{ text }] },
  }));
  const session = await caller.createSession('echo', { events });
  const earlier = page.getByRole('button', { name: 'Earlier messages' });
  const leave = async (): Promise<void> => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Runs', exact: true }).click();
    await page.getByRole('heading', { name: 'Runs', exact: true }).waitFor();
  };
  const comeBack = async (): Promise<void> => {
    const read = page.waitForResponse((response) => new URL(response.url()).pathname.endsWith(`${session.id}/runs`));
    await page.goBack();
    await read;
  };
  await page.getByRole('heading', { name: 'Home' }).waitFor();
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  await expect.poll(() => shown(page)).toEqual(range(250, 450));
  await earlier.click();
  await expect.poll(() => shown(page)).toEqual(range(50, 450));
  await leave();
  await comeBack();
  await earlier.click();
  await expect.poll(() => shown(page)).toEqual(range(0, 450));
  await earlier.waitFor({ state: 'detached' });

  // More than a page is new: the messages before it are behind the button again.
  await leave();
  const added = range(450, 560);
  for (const text of added) expect((await caller.run(session, text)).status).toBe(200);
  await comeBack();
  const all = [...range(0, 450), ...added.flatMap((text) => [text, text])];
  for (const count of [200, 400, 600, all.length]) {
    await expect.poll(() => shown(page)).toEqual(all.slice(-count));
    if (count < all.length) await earlier.click();
  }
  await earlier.waitFor({ state: 'detached' });
  await context.close();
});

test('a session that is deleted while it is shown is not shown as if it were there, also to those who come back to it', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const create = async (sessionId: string): Promise<void> => {
    await caller.request('POST', '/apps/echo/users/user/sessions', { sessionId });
    await page.goto(`${url}/console/sessions?app=echo`);
    await page.locator('a[data-row]', { hasText: sessionId }).click();
    await page.getByRole('heading', { name: `Session ${sessionId}` }).waitFor();
  };
  await create('elsewhere');
  await caller.request('DELETE', '/apps/echo/users/user/sessions/elsewhere');
  await lookAgain(page);
  await page.getByText('Session not found').waitFor();
  await expect.poll(() => page.getByRole('link', { name: 'Open in chat' }).count()).toBe(0);

  await create('here');
  await page.getByRole('button', { name: 'Delete' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No sessions of this user').waitFor();
  await page.goBack();
  await page.getByText('Session not found').waitFor();
  await context.close();
});

test('a time for which there is no date is shown as it is, with all that stands beside it', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const events = [{ author: 'user', timestamp: 1e14, content: { role: 'user', parts: [{ text: 'from afar' }] } }];
  const { id } = await caller.createSession('echo', { events });
  await page.goto(`${url}/console/sessions?app=echo&user=u1`);
  await page.locator('a[data-row]', { hasText: id }).click();
  await page.locator('summary', { hasText: 'from afar' }).getByText('100000000000000').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the inbox shows more than its first page, and a key that approves sends no answer to a question', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const ask = async (app: string, text: string): Promise<void> => {
    expect((await caller.run(await caller.createSession(app), text)).status).toBe(200);
  };
  for (const _ of range(0, 51)) await ask('approve', '[[state:paid=yes]]');
  const call = { connector: 'x', auth_uri: 'https://example.com/a', nonce: 'n' };
  await ask('consent', `[[tool:request_credential ${JSON.stringify(call)}]]`);
  await page.goto(`${url}/console/inbox`);
  const entries = page.getByRole('article');
  await expect.poll(() => entries.count()).toBe(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await expect.poll(() => entries.count()).toBe(52);

  // Entries that are answered stay as long as the pointer is over the list.
  await page.mouse.move(0, 0);
  const question = entries.filter({ hasText: 'needs an answer' });
  await question.getByRole('link').focus();
  const answers: string[] = [];
  page.on('request', (request) => request.method() === 'POST' && answers.push(request.postData() ?? ''));
  for (const key of ['a', 'r']) await page.keyboard.press(key);
  await entries.filter({ hasText: 'needs your approval' }).first().getByRole('link').focus();
  await page.keyboard.press('a');
  await page.getByText('Answered. The run goes on.').waitFor();
  await expect.poll(() => entries.count()).toBe(51);
  expect(await question.count()).toBe(1);
  expect(answers).toEqual([expect.stringContaining('"confirmed":true')]);
  await context.close();
});

test('the fields above the sessions say whose are listed, and the list stays with its agent when another one runs', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await caller.run(await caller.createSession('echo'), 'hello');
  const link = page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Sessions' });
  const [agent, user, words] = ['Agent', 'User', 'Search in memory'].map((label) => page.getByLabel(label));
  await link.click();
  await expect.poll(() => user?.inputValue()).toBe('user');
  await user?.fill('u1');
  await user?.press('Enter');
  await page.locator('a[data-row]').waitFor();
  await words?.fill('never said');
  await words?.press('Enter');
  await page.getByText('Memory has nothing about that').waitFor();
  await link.click();
  await page.getByText('No sessions of this user').waitFor();
  expect([await user?.inputValue(), await words?.inputValue()]).toEqual(['user', '']);

  await expect.poll(() => agent?.inputValue()).toBe('echo');
  await user?.press('End');
  await user?.pressSequentially('123');
  const read = page.waitForResponse((response) => response.url().includes('/runs?limit=200'));
  await caller.run(await caller.createSession('greeter'), 'hello');
  await (await read).finished();
  await page.evaluate('new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))');
  expect([await agent?.inputValue(), await user?.inputValue()]).toEqual(['echo', 'user123']);
  await context.close();
});

test('events that cannot be read are told, can be read again, and are told of their own run only', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  for (const text of ['one', 'other']) await caller.run(await caller.createSession('echo', { sessionId: text }), text);
  const runs = (await caller.request<{ invocationId: string; sessionId: string }[]>('GET', '/runs')).body;
  const [other = '', one = ''] = runs.map(({ invocationId }) => invocationId);
  const away = { status: 500, json: { detail: 'The service is away.' } };
  const ofSession = ({ pathname, searchParams }: URL) =>
    pathname.endsWith('/sessions/one') && searchParams.get('limit') === '50';
  const ofRun = ({ pathname }: URL) => pathname === `/runs/${one}/events`;
  const problem = page.getByText('The service is away.');
  const again = page.getByRole('button', { name: 'Try again' });
  for (const isAway of [ofSession, ofRun]) await page.route(isAway, (route) => route.fulfill(away));

  await page.goto(`${url}/console/sessions/echo/u1/one`);
  await problem.waitFor();
  await page.unroute(ofSession);
  await again.click();
  await page.locator('summary', { hasText: 'one' }).first().waitFor();

  await page.goto(`${url}/console/runs/${one}`);
  await problem.waitFor();
  await page.keyboard.press('Control+k');
  await page.keyboard.type(other);
  await page.getByRole('option').filter({ hasText: other }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: `Run …${other.slice(-8)}` }).waitFor();
  await page.getByRole('list', { name: 'Timeline' }).waitFor();
  await page.goBack();
  await problem.waitFor();
  await page.unroute(ofRun);
  await again.click();
  await page.getByRole('list', { name: 'Timeline' }).waitFor();
  await context.close();
});

test('what the stream of changes does not tell is read again after a while', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  await caller.run(session, 'first');
  const followed = page.waitForResponse((response) => response.url().endsWith('/api/changes'));
  await page.goto(`${url}/console/sessions/echo/u1/${session.id}`);
  await followed;
  await page.locator('summary', { hasText: 'first' }).first().waitFor();
  const told = page.waitForResponse((response) => response.url().includes('status=waiting'));
  await caller.run(session, 'second');
  await told;
  await page.locator('summary', { hasText: 'second' }).first().waitFor();
  await context.close();
});

test('a session is added to memory on its page, and is found there', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  await caller.run(session, 'the harbour of Lisbon');
  await page.goto(`${url}/console/sessions/echo/u1/${session.id}`);
  await page.getByRole('button', { name: 'Add to memory' }).click();
  await page.getByText('Memory has what was said in this session.').waitFor();
  await page.goto(`${url}/console/sessions?app=echo&user=u1&q=Lisbon`);
  await page.locator('.lines').getByText('the harbour of Lisbon').first().waitFor();
  await context.close();
});
