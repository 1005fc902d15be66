import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { findChromium } from '../../chromium.ts';

const url = inject('meshUrl');
let browser: Browser | undefined;

beforeAll(async () => {
  const executablePath = await findChromium();
  if (executablePath !== undefined) browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}, 300_000);

afterAll(() => browser?.close());

test('a user signs in on the API pages, creates a session and runs the echo agent', {
  timeout: 240_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { email } = (await (await newAccount(url)).request<{ email: string }>('GET', '/api/users/me')).body;
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(60_000);
  const foreign: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) foreign.push(request.url());
  });
  await page.goto(`${url}/docs`);
  await page.getByRole('button', { name: 'Authorize' }).first().click();
  await page.getByLabel('username:').fill(email);
  await page.getByLabel('password:').fill('correct horse battery');
  await page.getByLabel('Apply given OAuth2 credentials').click();
  await page.getByRole('button', { name: 'Close' }).first().click();

  expect(await execute(page, 'sessions', 'createSession')).toContain('"topic": "tea"');
  expect(await execute(page, 'runs', 'streamRun')).toContain('Hello, mesh');
  expect(foreign).toEqual([]);
  expect(await page.title()).toBe('Agent Mesh API');
  expect(await page.getByAltText(/fastify|swagger/i).count()).toBe(0);
  await page.close();
});

/** Opens a section, sends the prefilled request of one of its operations and returns the text of the answer. */
async function execute(page: Page, section: string, operation: string): Promise<string> {
  await page.locator(`#operations-tag-${section}`).click();
  const block = page.locator(`#operations-${section}-${operation}`);
  await block.locator('.opblock-summary-control').click();
  await block.getByRole('button', { name: 'Execute' }).click();
  const live = block.locator('.live-responses-table');
  await live.locator('.response-col_status', { hasText: '200' }).waitFor();
  return live.innerText();
}
