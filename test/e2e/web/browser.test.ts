import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';

const artifacts = fileURLToPath(new URL('../../.artifacts', import.meta.url));
const url = inject('meshUrl');
const patience = 60_000;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await openBrowser();
}, 300_000);

afterAll(leaveBrowser);

interface Visit extends AsyncDisposable {
  readonly page: Page;
  /** Errors of the console, of the page and of its requests. */
  readonly complaints: string[];
}

/** Opens a new browser on the sign-in page. */
async function open(fresh: Browser, path = '/dev-ui/?app=echo'): Promise<Visit> {
  const context = await fresh.newContext({ viewport: { width: 1280, height: 860 } });
  context.setDefaultTimeout(patience);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') complaints.push(`${message.text()} ${message.location().url}`);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('response', (response) => {
    if (response.status() >= 400) complaints.push(`${response.status()} ${response.url()}`);
  });
  await page.goto(url + path);
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() };
}

async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill('correct horse battery');
  await page.getByRole('button', { name: 'Sign in' }).click();
}

async function send(page: Page, text: string): Promise<void> {
  await page.getByPlaceholder('Type a message').fill(text);
  await page.keyboard.press('Enter');
}

const emailOf = async () => {
  const { body } = await (await newAccount(url)).request<{ email: string }>('GET', '/api/users/me');
  return body.email;
};

describe("ADK's web UI in a browser", () => {
  test('signs in, creates a session, shows an answer while it streams, renames, reloads and deletes', {
    timeout: 180_000,
  }, async ({ skip }) => {
    if (browser === undefined) return skip('there is no Chromium');
    await using visit = await open(browser);
    const { page, complaints } = visit;
    await signIn(page, await emailOf());
    await page.getByPlaceholder('Type a message').waitFor();
    await page.waitForLoadState('networkidle');
    expect(complaints).toEqual([]);

    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByText('Streaming').click();
    await page.keyboard.press('Escape');
    await send(page, 'alpha beta [[wait:6000]] gamma');
    // The first words are shown while the agent still waits; the last word comes later.
    const whole = page.getByText(/^\s*alpha beta\s+gamma\s*$/);
    await page.getByText(/^\s*alpha beta\s*$/).waitFor();
    expect(await whole.count()).toBe(0);
    await whole.waitFor();

    await page.locator('.selector-button', { hasText: 'alpha beta' }).click();
    const edit = page.getByRole('button', { name: 'Edit', exact: true });
    const name = page.locator('.inline-edit-input');
    // The web UI reads the list again behind a run, and takes an edit back that has just begun.
    const isEditing = async () => {
      if (!(await name.isEditable()) && (await edit.isVisible())) await edit.click();
      return name.isEditable();
    };
    await expect.poll(isEditing, { timeout: patience }).toBe(true);
    await name.fill('a session of mine');
    const renamed = page.waitForResponse((response) => response.request().method() === 'PATCH');
    await name.press('Enter');
    expect((await renamed).status()).toBe(200);
    await page.getByRole('button', { name: 'Close session selector' }).click();
    await page.reload();
    const chosen = page.locator('.selector-button', { hasText: 'a session of mine' });
    await chosen.waitFor();
    await whole.waitFor();
    await mkdir(artifacts, { recursive: true });
    await page.screenshot({ path: `${artifacts}/web-ui-${inject('mode')}.png` });
    expect(complaints).toEqual([]);

    const session = new URL(page.url()).searchParams.get('session') ?? '';
    await chosen.click();
    await page.getByRole('button', { name: 'Delete' }).first().click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await expect.poll(() => page.getByText(session).count()).toBe(0);
    const list = async () => page.request.get(`${url}/apps/echo/users/user/sessions`);
    await expect.poll(async () => (await (await list()).json()) as unknown).toEqual([]);

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('E-mail').waitFor();
    expect((await list()).status()).toBe(401);
  });

  test('stops the run with its button Stop, and the next message is answered at once', { timeout: 180_000 }, async ({
    skip,
  }) => {
    if (browser === undefined) return skip('there is no Chromium');
    await using visit = await open(browser);
    const { page, complaints } = visit;
    await signIn(page, await emailOf());
    await page.getByPlaceholder('Type a message').waitFor();
    await page.getByRole('button', { name: 'More options' }).click();
    await page.getByText('Streaming').click();
    await page.keyboard.press('Escape');
    await send(page, 'so far [[wait:60000]] late');
    await page.getByText(/^\s*so far\s*$/).waitFor();
    const runs = async () => (await (await page.request.get(`${url}/runs`)).json()) as { status: string }[];
    expect(await runs()).toMatchObject([{ status: 'running' }]);
    await page.screenshot({ path: `${artifacts}/web-ui-stop-${inject('mode')}.png` });
    await page.locator('button', { hasText: /^\s*stop\s*$/ }).click();
    await expect.poll(runs, { timeout: patience }).toMatchObject([{ status: 'cancelled' }]);
    await send(page, 'next');
    await page
      .getByText(/^\s*next\s*$/)
      .nth(1)
      .waitFor();
    await expect.poll(runs).toMatchObject([{ status: 'completed' }, { status: 'cancelled' }]);
    // The page aborts its own request.
    expect(complaints).toEqual(['signal is aborted without reason']);
  });

  test('lets a visitor create an account, and hides features that this server does not have', {
    timeout: 180_000,
  }, async ({ skip }) => {
    if (browser === undefined) return skip('there is no Chromium');
    await using visit = await open(browser);
    const { page, complaints } = visit;
    await page.getByRole('link', { name: 'Create an account' }).click();
    await page.getByLabel('First name').fill('Ada');
    await page.getByLabel('Last name').fill('Lovelace');
    await page.getByLabel('E-mail').fill(`${randomUUID()}@example.com`);
    await page.getByLabel('Password').fill('correct horse battery');
    await page.getByRole('button', { name: 'Create account' }).click();
    await page.getByPlaceholder('Type a message').waitFor();
    expect(new URL(page.url()).searchParams.get('app')).toBe('echo');

    await page.getByRole('tab', { name: 'Artifacts' }).waitFor();
    expect(await page.getByRole('tab', { name: 'Evals' }).count()).toBe(0);
    await page.locator('.selector-group button', { hasText: 'account_tree' }).waitFor();
    const builder = page.locator('.selector-group button', { hasText: /^\s*edit\s*$/ });
    expect([await builder.count(), await builder.isVisible()]).toEqual([1, false]);
    expect(complaints).toEqual([]);
  });

  test('says that audio needs a live model, and returns to the page after a new sign-in', { timeout: 180_000 }, async ({
    skip,
  }) => {
    if (browser === undefined) return skip('there is no Chromium');
    await using visit = await open(browser);
    const { page, complaints } = visit;
    const email = await emailOf();
    await signIn(page, email);
    await send(page, 'before');
    await page.getByText('before').nth(1).waitFor();
    await page.locator('button', { hasText: /^\s*call\s*$/ }).click();
    await page.getByText('need a live model').waitFor();
    await page.screenshot({ path: `${artifacts}/web-ui-audio-${inject('mode')}.png` });
    expect(complaints).toEqual([]);

    await page.context().clearCookies();
    await send(page, 'after');
    await signIn(page, email);
    await page.getByText('before').nth(1).waitFor();
  });
});

test('on the API pages a user signs in, creates a session and runs the echo agent', {
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
