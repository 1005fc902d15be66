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

test('the activity of an admin is what was done to the own account', { timeout: 120_000 }, async () => {
  if (browser === undefined) return;
  await newAccount(opened.mesh.url);
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/account?tab=audit');
  const entries = page.locator('#main .lines li');
  await entries.getByText('Signed in').first().waitFor();
  // The account of the admin was made at the start, and the others have signed up since.
  expect(await entries.getByText('Signed up').count()).toBe(1);
  await context.close();
});

test('an admin sees all accounts, page by page, also when the next page is asked for twice', {
  timeout: 120_000,
}, async () => {
  if (browser === undefined) return;
  for (let made = 0; made < 45; made += 1) await newAccount(opened.mesh.url);
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/admin');
  const table = page.getByRole('table', { name: 'Accounts', exact: true });
  await expect.poll(() => table.getByRole('row').count()).toBe(21);
  const shown = (): string | null => new URL(page.url()).searchParams.get('page');
  const addresses = (): Promise<string[]> => table.locator('tbody td:first-child').allTextContents();
  const firstPage = await addresses();
  // The way to the next page keeps the focus, so that a keyboard goes on from page to page.
  await page.getByRole('button', { name: 'Next' }).focus();
  await page.keyboard.press('Enter');
  await expect.poll(async () => (await addresses()).filter((it) => !firstPage.includes(it)).length).toBe(20);
  expect(shown()).toBe('2');
  const { promise: later, resolve: goOn } = Promise.withResolvers<void>();
  await page.route(/\/api\/users\/\?/, (route) => later.then(() => route.continue()));
  await page.keyboard.press('Enter');
  await expect.poll(shown).toBe('3');
  await page.keyboard.press('Enter');
  goOn();
  expect(shown()).toBe('3');
  await expect.poll(() => table.getByRole('row').count()).toBeLessThan(21);
  await page.getByRole('button', { name: 'Previous' }).click();
  await page.getByRole('button', { name: 'Previous' }).click();
  await expect.poll(() => table.getByRole('row').count()).toBe(21);
  await context.close();
});

test('the page for admins says to others that it is not for them', { timeout: 120_000 }, async () => {
  if (browser === undefined) return;
  const caller = await newAccount(opened.mesh.url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const { context, page } = await open(browser, email, '/admin');
  await page.getByRole('heading', { name: 'For administrators' }).waitFor();
  expect(await page.getByRole('button', { name: 'Try again' }).count()).toBe(0);
  expect(await faultsOf(page)).toEqual([]);
  await context.close();
});

test('what holds a run is not shown below the failure to find another one', { timeout: 120_000 }, async () => {
  if (browser === undefined) return;
  const caller = await newAccount(opened.mesh.url);
  const { body: events } = await caller.run(await caller.createSession('echo'), 'hello');
  const { context, page } = await open(browser, admin.DEFAULT_SUPERADMIN_EMAIL, '/admin');
  const ask = async (id: string): Promise<void> => {
    await page.getByLabel('Id of the run').fill(id);
    await page.keyboard.press('Enter');
  };
  await ask(events[0]?.invocationId ?? '');
  const held = page.getByText('"status": "completed"');
  await held.waitFor();
  await ask('e-nothing');
  await page.getByRole('alert').getByText('Run not found').waitFor();
  expect(await held.count()).toBe(0);
  await context.close();
});
