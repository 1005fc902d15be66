import { expect, inject, test } from 'vitest';
import { makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, openHome } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

test('a press where an entry of the inbox was approved approves no other one, and entries that come move none under the pointer', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const ask = async (): Promise<void> => {
    expect((await caller.run(await caller.createSession('approve'), '[[state:paid=yes]]')).status).toBe(200);
  };
  for (const _ of [1, 2, 3]) await ask();
  await page.setViewportSize({ width: 1_280, height: 1_400 });
  await page.goto(`${url}/console/inbox`);
  const entries = page.getByRole('article');
  const approve = page.locator('article:not([inert])').getByRole('button', { name: 'Approve' });
  await expect.poll(() => approve.count()).toBe(3);
  const box = await approve.first().boundingBox();
  if (box === null) throw new Error('there is no button');
  await page.mouse.click(box.x + 20, box.y + 10);
  await page.getByText('Answered. The run goes on.').waitFor();
  await expect.poll(() => approve.count()).toBe(2);
  await page.mouse.click(box.x + 20, box.y + 10);
  await ask();
  await page.getByText('1 new').waitFor();
  const last = await approve.last().boundingBox();
  expect(last?.y).toBeGreaterThan(box.y);
  const inbox = await caller.request<object[]>('GET', '/runs?status=waiting');
  expect(inbox.body).toHaveLength(3);
  await page.keyboard.press('j');
  expect(await page.evaluate<boolean>(`document.activeElement.closest('article:not([inert])') !== null`)).toBe(true);
  await page.mouse.move(0, 0);
  await expect.poll(() => approve.count()).toBe(3);
  await expect.poll(() => entries.count()).toBe(3);
  expect(complaints).toEqual([]);
  await context.close();
});

test('the last entry of the inbox stays under the pointer when it is answered, until the pointer leaves', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const ask = async (): Promise<unknown> => caller.run(await caller.createSession('approve'), '[[state:paid=yes]]');
  await ask();
  await page.goto(`${url}/console/inbox`);
  const approve = page.locator('article:not([inert])').getByRole('button', { name: 'Approve' });
  const box = await approve.boundingBox();
  if (box === null) throw new Error('there is no button');
  const press = () => page.mouse.click(box.x + 20, box.y + 10);
  await press();
  await expect.poll(() => approve.count()).toBe(0);
  await ask();
  await page.getByText('1 new').waitFor();
  await press();
  expect(await page.getByRole('article').count()).toBe(1);
  await page.mouse.move(0, 0);
  await expect.poll(() => approve.count()).toBe(1);
  expect((await caller.request<object[]>('GET', '/runs?status=waiting')).body).toHaveLength(1);
  expect(complaints).toEqual([]);
  await context.close();
});

test('a question of an agent is read as words, is not answered with nothing, and a choice is one press', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const chooser = `agent${await makeAgent(caller, { agent_tools: ['request_input', 'get_user_choice'] })}`;
  const stateOf = async (): Promise<unknown> => (await caller.request('GET', '/runs?limit=1')).body;
  await caller.run(await caller.createSession(chooser), '[[tool:request_input {"message": "Which city?"}]]');
  await page.goto(`${url}/console/inbox`);
  await page.getByText('Which city?', { exact: true }).waitFor();
  const send = page.getByRole('button', { name: 'Send the answer' });
  expect(await send.isDisabled()).toBe(true);
  await page.getByLabel('Your answer').fill('Paris');
  await send.click();
  await expect.poll(stateOf).toMatchObject([{ status: 'completed' }]);

  const session = await caller.createSession(chooser);
  await caller.run(session, '[[tool:get_user_choice {"options": ["Tea", "Coffee"]}]]');
  await page.mouse.move(0, 0);
  await page.getByRole('button', { name: 'Coffee' }).click();
  await expect.poll(stateOf).toMatchObject([{ status: 'completed' }]);
  expect(JSON.stringify(await caller.readSession(session))).toContain('{"result":"Coffee"}');
  expect(complaints).toEqual([]);
  await context.close();
});
