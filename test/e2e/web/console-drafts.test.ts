import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import type { Caller } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, openHome, signIn, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

/** Ends the sign-in of the browser, and signs in again. */
async function signInAgain(page: Page, caller: Caller): Promise<void> {
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  expect((await caller.request('DELETE', '/api/auth/sessions')).status).toBe(200);
  await page.getByText('Your sign-in has ended.').waitFor();
  await signIn(page, email);
}

const dialogs = [
  ['schedule', '/automation', 'Add a schedule', 'Message'],
  ['key', '/keys', 'Add a key', 'Name'],
  ['token', '/account?tab=tokens', 'Make a token', 'Name'],
] as const;

test.each(dialogs)(
  'the dialog of a new %s is open with what was typed after a new sign-in, until it is closed',
  {
    timeout,
  },
  async (_, path, button, label) => {
    const browser = openedBrowser();
    if (browser === undefined) return;
    const { caller, context, page, complaints } = await visit(browser, url, path);
    await page.getByRole('button', { name: button }).click();
    const dialog = page.getByRole('dialog');
    const field = dialog.getByLabel(label, { exact: true });
    await field.fill('half a text');
    const secret = dialog.locator('[type=password]');
    if ((await secret.count()) > 0) await secret.fill('secret');

    await signInAgain(page, caller);
    await expect.poll(() => field.inputValue()).toBe('half a text');
    if ((await secret.count()) > 0) expect(await secret.inputValue()).toBe('');

    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: button }).click();
    expect(await field.inputValue()).not.toBe('half a text');
    expect(complaints.filter((it) => !it.includes('401'))).toEqual([]);
    await context.close();
  },
);

test('the names of an account that are being changed stay over a new sign-in', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/account');
  const field = page.getByLabel('First name');
  await field.fill('Augusta');
  await signInAgain(page, caller);
  await expect.poll(() => field.inputValue()).toBe('Augusta');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
  await context.close();
});

const asked = [
  ['note of an approval', '[[state:paid=yes]]', 'Note for the agent', 'Approve'],
  ['answer of a question', '[[tool:request_input {"message": "Which city?"}]]', 'Your answer', 'Send the answer'],
] as const;

test.each(asked)(
  'the %s stays over a new sign-in, in the chat and in the inbox, until it is sent',
  { timeout },
  async (_, message, label, button) => {
    const browser = openedBrowser();
    if (browser === undefined) return;
    const { caller, context, page } = await openHome(browser, url);
    const asker = `agent${await makeAgent(caller, { agent_tools: ['request_input'] })}`;
    const app = message.startsWith('[[state') ? 'approve' : asker;
    const session = await caller.createSession(app);
    await caller.run(session, message);
    await page.goto(`${url}/console/chat/${app}/${session.id}?user=u1`);
    const field = page.getByLabel(label);
    await field.fill('half a text');
    await signInAgain(page, caller);
    await expect.poll(() => field.inputValue()).toBe('half a text');
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Inbox' }).click();
    await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    await expect.poll(() => field.inputValue()).toBe('half a text');
    const sent = page.waitForRequest((request) => request.postData()?.includes('half a text') === true);
    await page.getByRole('button', { name: button }).click();
    await sent;
    await page.getByText('Answered. The run goes on.').waitFor();
    await context.close();
  },
);

test('the note for an approval stays with its chat, and is not shown nor lost in a copy of it, which no run waits for', {
  timeout,
}, async () => {
  const browser = openedBrowser();
  if (browser === undefined) return;
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('approve');
  await caller.run(session, '[[state:paid=yes]]');
  const path = `/apps/approve/users/u1/sessions/${session.id}`;
  const { body: asked } = await caller.request<{ events: { id: string }[] }>('GET', path);
  const eventId = asked.events.at(-1)?.id;
  const { body: copy } = await caller.request<{ id: string }>('POST', `${path}/fork`, { eventId });
  const chat = (id: string) => page.locator(`nav.chats a[href*="${id}"]`);
  const field = page.getByLabel('Note for the agent');
  await page.goto(`${url}/console/chat/approve/${session.id}?user=u1`);
  await field.fill('for the chat');
  await chat(copy.id).click();
  await expect.poll(() => field.inputValue()).toBe('');
  await field.fill('for the copy');
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('No run of this chat waits for this answer.').waitFor();
  await expect.poll(() => field.inputValue()).toBe('for the copy');
  await chat(session.id).click();
  await expect.poll(() => field.inputValue()).toBe('for the chat');
  await context.close();
});
