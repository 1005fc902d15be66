import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { findChromium } from '../../programs/chromium.ts';

const url = inject('meshUrl');
const password = 'correct horse battery';
let browser: Browser | undefined;

beforeAll(async () => {
  const executablePath = await findChromium();
  if (executablePath === undefined) return;
  browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-dev-shm-usage'] });
}, 300_000);
afterAll(() => browser?.close());

interface Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, and requests to other origins. */
  readonly complaints: readonly string[];
}

/** Opens a page of the console in a browser that has no cookie yet, and signs in there. */
async function visit(chrome: Browser, path: string): Promise<Visit> {
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const context = await chrome.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  await page.goto(`${url}/console${path}`);
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
  return { context, page, complaints };
}

test('the console signs in, streams an answer, keeps it over a reload and lists the run, without an error or a request to another origin', {
  timeout: 180_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visit(browser, '/chat/echo');
  await page.getByLabel('Write a message').fill('hello **console**');
  await page.keyboard.press('Enter');
  const answer = page.locator('.prose strong', { hasText: 'console' });
  await answer.waitFor();
  await page.getByText('Completed').waitFor();
  await page.reload();
  await answer.waitFor();
  await open(page, 'Runs');
  await page.getByRole('table', { name: 'Runs' }).getByRole('link', { name: 'echo' }).click();
  await page.getByRole('heading', { name: 'Answer' }).waitFor();
  await page.getByRole('listitem').filter({ hasText: 'echo' }).waitFor();
  await open(page, 'Inbox');
  await page.getByText('Nothing waits for you').waitFor();
  await open(page, 'Home');
  await page.getByRole('table', { name: 'Latest runs' }).getByRole('link', { name: 'echo' }).waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('a person signs a program in with its code and the password, and denies another one', {
  timeout: 180_000,
}, async ({ skip }) => {
  if (browser === undefined) return skip('there is no Chromium');
  const approved = await startProgram();
  const { context, page, complaints } = await visit(browser, `/device?code=${approved.user_code}`);
  await page.getByRole('heading', { name: 'a program of the test' }).waitFor();
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Approve' }).click();
  await page.getByText('a program of the test is signed in').waitFor();
  expect(await claim(approved.device_code)).toMatchObject({ scope: 'runs:read' });
  const denied = await startProgram();
  await page.goto(`${url}/console/device`);
  await page.getByLabel('Code').fill(denied.user_code.toLowerCase());
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Deny' }).click();
  await page.getByText('a program of the test was denied').waitFor();
  expect(await claim(denied.device_code)).toMatchObject({ error: 'access_denied' });
  expect(complaints).toEqual([]);
  await context.close();
});

function open(page: Page, name: string): Promise<void> {
  return page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name, exact: true }).click();
}

interface Code {
  readonly device_code: string;
  readonly user_code: string;
}

async function startProgram(): Promise<Code> {
  const body = { client_id: 'a program of the test', scope: 'runs:read' };
  return (await new Caller(url).request<Code>('POST', '/api/auth/device/code', body)).body;
}

async function claim(deviceCode: string): Promise<object> {
  const body = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: deviceCode };
  return (await new Caller(url).request('POST', '/api/auth/device/token', body)).body;
}
