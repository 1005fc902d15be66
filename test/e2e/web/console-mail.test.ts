import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { makeAgent } from '../agents/make-agent.ts';
import { type MailMesh, openMailMesh, subscribe } from '../mail/open-mail-mesh.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';
import { admin, faultsOf, signIn, themes } from './open-console.ts';

let browser: Browser | undefined;
let opened: MailMesh;

beforeAll(async () => {
  browser = await openBrowser();
  if (browser === undefined) return;
  opened = await openMailMesh(admin);
}, 300_000);
afterAll(async () => {
  await leaveBrowser();
  await opened?.[Symbol.asyncDispose]();
});

async function open(chrome: Browser, email: string, path: string): Promise<{ context: BrowserContext; page: Page }> {
  const context = await chrome.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(`${opened.mesh.url}/console${path}`);
  await signIn(page, email);
  return { context, page };
}

const providers = [
  ['Gmail', 'google'],
  ['Outlook', 'microsoft'],
] as const;

test.each(providers)(
  'a person connects %s, subscribes with a message that the preview shows, sees a mail arrive, and ends it',
  {
    timeout: 240_000,
  },
  async (name, provider) => {
    if (browser === undefined) return;
    const address = `ada-${provider}@mail.example`;
    const fake = opened[provider];
    fake.world.addUser(address);
    const caller = await newAccount(opened.mesh.url);
    await makeAgent(caller, { agent_name: 'reader' });
    const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
    const { context, page } = await open(browser, email, '/automation?tab=mail');
    // The user of the consent page is the one who is signed in at the provider.
    await page.route(
      (url) => url.searchParams.has('redirect_uri') && url.origin !== opened.mesh.url,
      (route) => route.continue({ url: `${route.request().url()}&login_hint=${encodeURIComponent(address)}` }),
    );
    await page.getByRole('button', { name: `Connect ${name}` }).click();
    await page.getByText(address).first().waitFor();
    await page.getByRole('button', { name: 'Subscribe to a mailbox' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Subject: Invoice 7 is wrong').waitFor();
    await dialog.getByLabel('Message to the agent (optional)').fill('About {{ subject }}');
    await dialog.getByText('About Invoice 7 is wrong').waitFor();
    for (const [colorScheme, rules] of themes) {
      await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
      expect(await faultsOf(page, rules)).toEqual([]);
    }
    await dialog.getByRole('button', { name: 'Subscribe to a mailbox' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('heading', { name: 'What arrived' }).waitFor();
    fake.addMail(address, { subject: 'Bill 7', text: 'Hello' });
    await expect
      .poll(
        async () => {
          await page.reload();
          await page.getByRole('heading', { name: 'What arrived' }).waitFor();
          return page.getByRole('table', { name: 'What arrived' }).getByText('Bill 7').count();
        },
        { timeout: 60_000 },
      )
      .toBe(1);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No mail subscriptions').waitFor();
    await page.getByRole('button', { name: 'Disconnect' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Disconnect' }).click();
    await expect.poll(() => page.getByText(address).count()).toBe(0);
    await context.close();
  },
);

test('a consent that was refused is told, and connects nothing', { timeout: 120_000 }, async () => {
  if (browser === undefined) return;
  const caller = await newAccount(opened.mesh.url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const { context, page } = await open(browser, email, '/connected/google?error=access_denied');
  await page.getByRole('alert').getByText('access_denied').waitFor();
  await page.getByRole('link', { name: 'Back to the mail' }).click();
  await page.getByText('No mail subscriptions').waitFor();
  await context.close();
});

test('a long address of a mailbox fits a narrow phone', { timeout: 120_000 }, async () => {
  if (browser === undefined) return;
  const address = `${'department.'.repeat(5)}x@${'subdomain.'.repeat(5)}example`;
  const caller = await opened.connected('microsoft_outlook', address);
  await subscribe(caller, 'microsoft_outlook');
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const { context, page } = await open(browser, email, '/automation?tab=mail');
  await page.setViewportSize({ width: 360, height: 740 });
  await expect.poll(() => page.getByText(address).count()).toBe(2);
  expect(await faultsOf(page)).toEqual([]);
  await context.close();
});
