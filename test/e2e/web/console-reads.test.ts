import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { visit } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
let browser: Browser | undefined;

beforeAll(async () => {
  browser = await openBrowser();
}, 300_000);
afterAll(leaveBrowser);

test('what changes while a list is being read is shown when the read ends', { timeout }, async ({ skip }) => {
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
  await page.evaluate(`{
    const now = Date.now;
    Date.now = () => now() + 60_000;
    dispatchEvent(new Event('focus'));
  }`);
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
