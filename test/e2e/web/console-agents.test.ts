import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { fields, makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, openHome } from './open-console.ts';

const url = inject('meshUrl');
const password = 'correct horse battery';
const openedBrowser = browserOfFile();

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>('axe.run(document)');
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
}

test('an author writes YAML with suggestions and live mistakes, then changes the agent in a form, key and all', {
  timeout: 240_000,
}, async () => {
  const browser = openedBrowser();
  if (browser === undefined) return;
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const key = { provider: 'openai', key_name: 'work', api_key_value: 'sk-test-0123456789abcdef' };
  await caller.request('POST', '/api/saved-api-keys', key);
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(`${url}/console/agents/new`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  const editor = page.getByLabel('YAML');
  await page.getByText('No mistakes.').waitFor();
  await editor.fill('');
  await editor.pressSequentially('model: openai/');
  expect(await page.getByRole('option').allTextContents()).toEqual([expect.stringMatching(/^openai\/gpt-/)]);
  await editor.fill('name: helper\nmodel: echo/default\nmodle: x\n');
  await page.getByText('Did you mean "model"').waitFor();
  await editor.fill('name: helper\nmodel: echo/default\n');
  await page.getByText('No mistakes.').waitFor();

  await editor.focus();
  await page.keyboard.press('Control+End');
  await page.keyboard.type('instr');
  await page.getByRole('option', { name: 'instruction:' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.keyboard.press('Tab');
  await page.keyboard.type('Help.\ntools:\n  - get_');
  await page.getByRole('option', { name: 'get_current_time' }).click();
  expect(await editor.inputValue()).toBe(
    'name: helper\nmodel: echo/default\ninstruction: Help.\ntools:\n  - get_current_time',
  );
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Create' }).click();
  await page.getByRole('heading', { name: 'helper' }).first().waitFor();

  await page.getByRole('link', { name: 'Edit' }).click();
  await page.getByLabel('Instruction').fill('Help well.');
  await page.getByLabel('Saved key').selectOption({ label: 'work (openai)' });
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('The agent is saved as a new version.').waitFor();
  const [agent] = (await caller.request<Record<string, unknown>[]>('GET', '/api/agents')).body;
  expect(agent).toMatchObject({
    agent_name: 'helper',
    agent_instruction: 'Help well.',
    agent_model_params: { model_api_key: expect.stringMatching(/^saved:/) },
    agent_tools: ['get_current_time'],
    version: 2,
  });

  // Another change keeps the key, also while the saved keys cannot be read.
  const chosen = page.getByLabel('Saved key').locator('option:checked');
  const saveAs = async (instruction: string): Promise<void> => {
    await page.getByLabel('Instruction').fill(instruction);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The agent is saved as a new version.').waitFor();
  };
  await page.reload();
  await expect.poll(() => chosen.textContent()).toBe('work (openai)');
  await saveAs('Help a lot.');
  await page.route('**/api/saved-api-keys*', (route) => route.fulfill({ status: 500, json: { detail: 'away' } }));
  await page.reload();
  await saveAs('Help.');
  const [changed] = (await caller.request<Record<string, unknown>[]>('GET', '/api/agents')).body;
  expect(changed).toMatchObject({ agent_instruction: 'Help.', agent_model_params: agent?.['agent_model_params'] });
  await context.close();
});

test('what is typed over an agent or a state is kept while another screen is looked at, and is not saved over a newer version', {
  timeout: 240_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const agent = `/api/agents/agent${await makeAgent(caller)}`;
  const session = '/apps/echo/users/user/sessions/order';
  await caller.request('POST', '/apps/echo/users/user/sessions', { sessionId: 'order', state: { total: 1 } });
  const changes = {
    agent: (word: string) => caller.request('PUT', agent, { ...fields, agent_description: word }),
    session: (word: string) => caller.request('PATCH', session, { stateDelta: { paid: word } }),
  };
  const edited = [
    [
      `${agent.replace('/api', '')}?tab=yaml`,
      'YAML',
      'name: poet\nmodel: echo/echo\ninstruction: Mine.\n',
      changes.agent,
    ],
    [`${agent.replace('/api', '')}?tab=edit`, 'Instruction', 'Mine.', changes.agent],
    ['/sessions/echo/user/order?tab=state', 'State', '{ "total": 2 }', changes.session],
  ] as const;
  for (const [screen, label, text, change] of edited) {
    await page.goto(`${url}/console${screen}`);
    const field = page.getByLabel(label, { exact: true });
    await field.fill(text);
    await page.getByText('Not saved yet.').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Keys and limits' }).click();
    await page.getByRole('heading', { name: 'Keys and limits' }).waitFor();
    await page.goBack();
    await expect.poll(() => field.inputValue()).toBe(text);

    const word = `meanwhile-${label}`;
    const read = page.waitForResponse(
      async (response) => !response.url().endsWith('/changes') && (await response.text()).includes(word),
    );
    expect((await change(word)).status).toBe(200);
    // The page is read again when the window is looked at.
    await page.evaluate(`{
      const now = Date.now;
      Date.now = () => now() + 60_000;
      dispatchEvent(new Event('focus'));
    }`);
    await read;
    await page.evaluate('new Promise(requestAnimationFrame)');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('form').getByRole('alert').waitFor();
    expect(await field.inputValue()).toBe(text);
    await page.getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => field.inputValue()).not.toBe(text);
    await page.getByText('Not saved yet.').waitFor({ state: 'detached' });
  }
  expect((await caller.request('GET', agent)).body).toMatchObject({
    agent_description: 'meanwhile-Instruction',
    version: 3,
  });
  expect((await caller.request('GET', session)).body).toMatchObject({ state: { total: 1, paid: 'meanwhile-State' } });
  expect(complaints.filter((text) => !/412/.test(text))).toEqual([]);
  await context.close();
});

test('a state that is no object is refused with the reason, and changes nothing', { timeout: 240_000 }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await caller.request('POST', '/apps/echo/users/user/sessions', { sessionId: 'order', state: { total: 1 } });
  await page.goto(`${url}/console/sessions/echo/user/order?tab=state`);
  for (const text of ['[]', '5', 'null', '"paid"']) {
    await page.getByLabel('State', { exact: true }).fill(text);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('form').getByText('A state is an object').waitFor();
    await page.getByRole('button', { name: 'Discard' }).click();
  }
  const { state } = (await caller.request<{ state: object }>('GET', '/apps/echo/users/user/sessions/order')).body;
  expect(state).toEqual({ total: 1 });
  await context.close();
});

test('a limit shows the amounts that it has before another one is set, and the name of its key', {
  timeout: 240_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const key = { provider: 'openai', key_name: 'work', api_key_value: 'sk-test-0123456789abcdef' };
  const { api_key_id: id } = (await caller.request<{ api_key_id: string }>('POST', '/api/saved-api-keys', key)).body;
  await caller.request('PUT', '/api/usage/limits/account/day', { requests: 10, cost_usd: 0.5 });
  await caller.request('PUT', `/api/usage/limits/${id}/month`, { requests: 20 });
  await page.goto(`${url}/console/keys?tab=limits`);
  await page.getByRole('heading', { name: 'The account · Day' }).waitFor();
  await page.getByRole('heading', { name: 'work · Month' }).waitFor();
  await page.getByRole('button', { name: 'Set a limit' }).click();
  const dialog = page.getByRole('dialog');
  const amount = (name: string) => dialog.getByLabel(name, { exact: true });
  await dialog.getByLabel('For').selectOption('work');
  await dialog.getByLabel('In each').selectOption('Month');
  await expect.poll(() => amount('Requests').inputValue()).toBe('20');
  await dialog.getByLabel('For').selectOption('The account');
  await dialog.getByLabel('In each').selectOption('Day');
  await expect.poll(() => amount('Requests').inputValue()).toBe('10');
  await amount('Tokens').fill('1000');
  await dialog.getByRole('button', { name: 'Save' }).click();
  await dialog.waitFor({ state: 'detached' });
  const [limit] = (await caller.request<object[]>('GET', '/api/usage/limits')).body;
  expect(limit).toMatchObject({ scope: 'account', period: 'day', requests: 10, tokens: 1000, cost_usd: 0.5 });
  await context.close();
});

test('the oldest version that is listed tells no changes when the one before it is not listed', {
  timeout: 240_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const id = `agent${await makeAgent(caller)}`;
  for (let number = 2; number <= 101; number += 1) {
    const change = { ...fields, agent_description: `Version ${number}.` };
    expect((await caller.request('PUT', `/api/agents/${id}`, change)).status).toBe(200);
  }
  await page.goto(`${url}/console/agents/${id}?tab=versions`);
  await page.getByText('Version 101', { exact: true }).waitFor();
  const changes = page.getByRole('button', { name: 'Changes' });
  const restores = page.getByRole('button', { name: 'Restore' });
  expect([await changes.count(), await restores.count()]).toEqual([99, 99]);
  await context.close();
});
