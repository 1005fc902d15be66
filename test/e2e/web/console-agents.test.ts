import { browserOfFile } from './open-console.ts';
import axe from 'axe-core';
import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';

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
