import { type Browser, chromium } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { findChromium } from '../../programs/chromium.ts';

const url = inject('meshUrl');
let browser: Browser | undefined;

beforeAll(async () => {
  const executablePath = await findChromium();
  if (executablePath === undefined) return;
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}, 300_000);
afterAll(() => browser?.close());

test('the console signs in, streams an answer, keeps it over a reload and lists the run, without an error or a request to another origin', {
  timeout: 180_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const context = await browser.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  await page.goto(`${url}/console/chat/echo`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.keyboard.press('Enter');
  await page.getByLabel('Write a message').fill('hello **console**');
  await page.keyboard.press('Enter');
  const answer = page.locator('.prose strong', { hasText: 'console' });
  await answer.waitFor();
  await page.getByText('Completed').waitFor();
  await page.reload();
  await answer.waitFor();
  await page.getByRole('link', { name: 'Runs', exact: true }).click();
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
