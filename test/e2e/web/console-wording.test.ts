import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import type { Caller } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, openHome, openPage, password, visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

interface WaitingRun {
  readonly createTime: number;
  readonly waitingFor?: readonly { readonly functionCallId: string; readonly name: string }[];
}

interface Trace {
  readonly spans: readonly { readonly name: string; readonly start: number }[];
}

/** Starts a run that waits for an approval of `set_state`. */
async function askForApproval(caller: Caller) {
  const session = await caller.createSession('approve');
  const { headers } = await caller.run(session, '[[state:paid=yes]]');
  const id = headers.get('x-invocation-id') ?? '';
  return { session, id, record: (await caller.request<WaitingRun>('GET', `/runs/${id}`)).body };
}

/** The starts of a run's attempts, once those of `count` attempts are stored, a moment after their ends. */
async function startsOf(caller: Caller, id: string, count: number): Promise<readonly number[]> {
  const read = async () => {
    const { spans } = (await caller.request<Trace>('GET', `/runs/${id}/trace`)).body;
    return spans.filter((span) => span.name === 'invocation').map(({ start }) => start);
  };
  await expect.poll(read).toHaveLength(count);
  return read();
}

/** Such a run that was not in the queue: on a busy machine one may be there for longer than the timeline passes over. */
async function askWithoutQueue(caller: Caller): ReturnType<typeof askForApproval> {
  const asked = await askForApproval(caller);
  const [start = Infinity] = await startsOf(caller, asked.id, 1);
  return start - asked.record.createTime < 0.04 ? asked : askWithoutQueue(caller);
}

test('the timeline of a run that waited for an approval shows no time in the queue that it did not have', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const { session, id, record } = await askWithoutQueue(caller);
  const { createTime, waitingFor } = record;
  const { functionCallId, name } = waitingFor?.[0] ?? { functionCallId: '', name: '' };
  await expect.poll(() => Date.now() / 1_000 - createTime).toBeGreaterThan(2);
  const functionResponse = { id: functionCallId, name, response: { confirmed: true } };
  await caller.run(session, '', { newMessage: { role: 'user', parts: [{ functionResponse }] } });
  await startsOf(caller, id, 2);
  // Without a trace the timeline is drawn by the events alone.
  for (const spans of ['with', 'without']) {
    const isTrace = `**/runs/${id}/trace?*`;
    if (spans === 'without') await page.route(isTrace, (route) => route.fulfill({ json: { spans: [] } }));
    await page.goto(`${url}/console/runs/${id}`);
    const rows = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
    await rows.filter({ hasText: 'wait for an answer' }).waitFor();
    if (spans === 'with') await expect.poll(() => rows.filter({ hasText: 'Attempt' }).count()).toBe(2);
    expect(await rows.filter({ hasText: 'in the queue' }).count()).toBe(0);
  }
  // The record of a run of one attempt tells it.
  await page.route(`**/runs/${id}`, (route) =>
    route.request().resourceType() === 'document'
      ? route.continue()
      : route.fulfill({ json: { ...record, attempt: 1, startTime: createTime + 1.5 } }),
  );
  await page.reload();
  await page.getByRole('listitem').filter({ hasText: 'in the queue' }).getByText('1.5 s').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

/** The faults that a form tells at one of its fields, and those that it tells of no field. */
async function faultsAt(page: Page, label: string): Promise<readonly [atField: string, others: number]> {
  const field = page.getByLabel(label, { exact: true });
  const alerts = page.locator('form').getByRole('alert');
  await alerts.first().waitFor();
  expect(await field.getAttribute('aria-invalid')).toBe('true');
  const focused = () => page.evaluate<string>('document.activeElement.id');
  await expect.poll(focused).toBe(await field.getAttribute('id'));
  const [id = ''] = (await field.getAttribute('aria-describedby'))?.split(' ') ?? [];
  return [await page.locator(`[id="${id}"]`).innerText(), (await alerts.count()) - 1];
}

test('a form tells the fault of a value at its field, without a path of the body', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const stranger = await openPage(browser, url);
  const tooShort = ['String should have at least 8 characters', 0];
  await stranger.page.goto(`${url}/console/sign-up`);
  for (const label of ['First name', 'Last name']) await stranger.page.getByLabel(label).fill('A');
  await stranger.page.getByLabel('E-mail').fill('nobody@example.com');
  await stranger.page.getByLabel('Password').fill('short');
  await stranger.page.keyboard.press('Enter');
  expect(await faultsAt(stranger.page, 'Password')).toEqual(tooShort);
  await stranger.page.goto(`${url}/console/auth/reset-password?token=wrong`);
  await stranger.page.getByLabel('New password').fill('short');
  await stranger.page.keyboard.press('Enter');
  expect(await faultsAt(stranger.page, 'New password')).toEqual(tooShort);
  await stranger.context.close();

  const { context, page } = await visit(browser, url, '/automation');
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  await page.locator('[name=cron]').fill('61 * * * *');
  await page.getByLabel('Message', { exact: true }).fill('report');
  await expect.poll(() => page.locator('[name=app_name]').inputValue()).not.toBe('');
  await page.getByRole('button', { name: 'Create' }).click();
  const cron = (await page.getByRole('dialog').locator('label').first().innerText()).trim();
  const [told, others] = await faultsAt(page, cron);
  expect([told.startsWith('Not a cron expression'), others]).toEqual([true, 0]);

  // A fault of what has no field is told below, with the rest of its path.
  const detail = [{ type: 'value_error', loc: ['body', 'owner', 'name'], msg: 'Nobody has this name.', input: null }];
  await page.route('**/api/schedules', (route) => route.fulfill({ status: 422, json: { detail } }));
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('alert').getByText('owner.name: Nobody has this name.', { exact: true }).waitFor();
  expect(await page.locator('[aria-invalid]').count()).toBe(0);
  await context.close();
});

/** Answers what the page sends to the API with these faults of the body. */
async function refuseWith(
  page: Page,
  path: string,
  faults: readonly (readonly [path: (string | number)[], msg: string])[],
) {
  const detail = faults.map(([steps, msg]) => ({ type: 'value_error', loc: ['body', ...steps], msg }));
  await page.route(path, (route) =>
    route.request().method() === 'GET' ? route.fallback() : route.fulfill({ status: 422, json: { detail } }),
  );
}

test('a form tells at a field what is wrong in its value and in which part, and all else with its name', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/account?tab=tokens');
  await page.getByRole('button', { name: 'Make a token' }).first().click();
  await page.getByLabel('Name', { exact: true }).fill('long');
  await page.getByLabel('Days until it ends').fill('400');
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Create' }).click();
  await page
    .getByRole('alert')
    .getByText(/^expires_in_seconds: /)
    .waitFor();
  expect(await page.locator('[aria-invalid]').count()).toBe(0);

  const id = await makeAgent(caller, { agent_name: 'helper', agent_model: 'echo/default' });
  await refuseWith(page, '**/api/agents/*', [
    [['agent_model', 1], 'No such model.'],
    [['agent_model_params', 'temperature'], 'Not a number.'],
  ]);
  await page.goto(`${url}/console/agents/agent${id}?tab=edit`);
  const save = page.getByRole('button', { name: 'Save' });
  await save.click();
  expect(await faultsAt(page, 'Model')).toEqual(['1: No such model.', 1]);
  await page.getByText('agent_model_params.temperature: Not a number.', { exact: true }).waitFor();
  await refuseWith(page, '**/api/agents/*', [[['agent_model_params', 'model_api_key'], 'No such key.']]);
  await save.click();
  await page.getByText('No such key.', { exact: true }).waitFor();
  expect(await faultsAt(page, 'Saved key')).toEqual(['No such key.', 0]);
  await context.close();
});

test('the page for a forgotten password says nothing of folders of the server', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openPage(browser, url);
  await page.goto(`${url}/console/forgot`);
  await page.getByText('We send a link to your address.').waitFor();
  expect(await page.locator('body').innerText()).not.toMatch(/DATA_DIR|outbox/);
  await context.close();
});

test('a call in the chat that waits for an approval says so, until it has it', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visit(browser, url, '/chat/approve');
  await page.getByLabel('Write a message').fill('[[state:paid=yes]]');
  await page.keyboard.press('Enter');
  const approve = page.getByRole('button', { name: 'Approve' });
  await approve.waitFor();
  const call = page.locator('details.tool > summary', { hasText: 'set_state' });
  expect(await call.innerText()).toContain('needs your approval');
  expect(await call.innerText()).not.toContain('running');
  await approve.click();
  await page.getByText('Completed').waitFor();
  expect(await call.innerText()).not.toContain('needs your approval');
  expect(complaints).toEqual([]);
  await context.close();
});

test('the key that finds is shown as it is on the keyboard of the platform', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openHome(browser, url);
  const shown = async (): Promise<string[]> => {
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('?');
    await page.getByRole('dialog').waitFor();
    const side = page.getByRole('navigation', { name: 'Main' }).locator('kbd');
    return [await side.innerText(), await page.getByRole('dialog').locator('kbd').first().innerText()];
  };
  expect(await shown()).toEqual(['Ctrl K', 'Ctrl K']);
  const agent = 'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)';
  await page.addInitScript(`Object.defineProperty(navigator, 'userAgent', { value: ${JSON.stringify(agent)} })`);
  await page.reload();
  expect(await shown()).toEqual(['⌘ K', '⌘ K']);
  await context.close();
});

test('Home counts the tokens of today as the page of usage does, without models of tests', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await caller.run(await caller.createSession('echo'), 'hello');
  const tokens = page.locator('.tile', { hasText: 'Tokens today' });
  await page.getByRole('table', { name: 'Latest runs' }).getByRole('link', { name: 'echo' }).waitFor();
  expect(await tokens.innerText()).toMatch(/\b0\b/);
  await page.goto(`${url}/console/keys?tab=usage`);
  await page.getByText('Nothing was used').waitFor();
  await page.getByText('Models for tests, such as echo/default, do not count.').waitFor();
  const used = { day: new Date().toISOString().slice(0, 10), input_tokens: 20, output_tokens: 5, cost_usd: 0 };
  await page.route('**/api/usage?*', (route) => route.fulfill({ json: { usage: [used] } }));
  await page.goto(`${url}/console/`);
  await tokens.getByText('25').waitFor();
  await context.close();
});

test('a chat with an agent that is not there says so, and opens no other one', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visit(browser, url, '/chat/nosuch');
  await page.getByRole('heading', { name: 'There is no such agent' }).waitFor();
  expect(await page.getByLabel('Write a message').count()).toBe(0);
  await page.goto(`${url}/console/agents/nosuch`);
  await page.getByRole('heading', { name: 'There is no such agent' }).waitFor();
  await page.goto(`${url}/console/chat`);
  await page.getByLabel('Write a message').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the last run of a schedule is linked with its session, also after the schedule got another user', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const newMessage = { role: 'user', parts: [{ text: 'report' }] };
  const schedule = { cron: '* * * * * *', appName: 'echo', userId: 'u1', sessionId: 'daily', newMessage };
  const { id } = (await caller.request<{ id: string }>('POST', '/api/schedules', schedule)).body;
  const path = `/api/schedules/${id}`;
  const last = async () =>
    (await caller.request<{ last_run: { invocation_id: string } | null }>('GET', path)).body.last_run;
  await expect.poll(last, { timeout: 30_000 }).not.toBeNull();
  await caller.request('POST', `${path}/pause`);
  await caller.request('PATCH', path, { user_id: 'u2' });
  await page.goto(`${url}/console/automation`);
  const run = `/console/runs/echo/u1/daily/${(await last())?.invocation_id}`;
  await page.locator(`#main a[href="${run}"]`).click();
  await page.getByRole('heading', { level: 1, name: 'Run' }).waitFor();
  await context.close();
});

test('the next times of a schedule are told by the clock of its zone, below a message of any length', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const newMessage = { role: 'user', parts: [{ text: 'report'.repeat(60) }] };
  const schedule = { cron: '30 9 1 1 *', timezone: 'Asia/Tokyo', appName: 'echo', userId: 'user', newMessage };
  await caller.request('POST', '/api/schedules', schedule);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url}/console/automation`);
  const times = page.locator('#main time');
  await expect.poll(() => times.allTextContents()).toEqual(Array(3).fill(expect.stringMatching(/Jan 1, 09:30$/)));
  expect(await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')).toBe(0);
  await context.close();
});
