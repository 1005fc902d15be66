import axe from 'axe-core';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { leaveBrowser, openBrowser } from '../../programs/chromium.ts';

export const password = 'correct horse battery';

/** A browser for the tests of a file: undefined where there is no Chromium, and before they begin. */
export function browserOfFile(): () => Browser | undefined {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await openBrowser();
  }, 300_000);
  afterAll(leaveBrowser);
  return () => browser;
}

export interface Visit {
  readonly caller: Caller;
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of the page, and requests to other origins. */
  readonly complaints: string[];
}

/** A page in a browser that has no cookie yet, which notes what it complains of. */
export async function openPage(chrome: Browser, url: string): Promise<Omit<Visit, 'caller'>> {
  const context = await chrome.newContext();
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    if (!request.url().startsWith(url) && !request.url().startsWith('data:')) complaints.push(request.url());
  });
  return { context, page, complaints };
}

/** Opens a page of the console in a browser that has no cookie yet, and signs a new account in there. */
export async function visit(chrome: Browser, url: string, path: string): Promise<Visit> {
  const caller = await newAccount(url);
  const { email } = (await caller.request<{ email: string }>('GET', '/api/users/me')).body;
  const opened = await openPage(chrome, url);
  await opened.page.goto(`${url}/console${path}`);
  await signIn(opened.page, email);
  return { caller, ...opened };
}

/** Fills in the form that is shown to those who are not signed in. */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.keyboard.press('Enter');
}

/** Settings of a mesh with an admin. */
export const admin = { DEFAULT_SUPERADMIN_EMAIL: 'root@example.com', DEFAULT_SUPERADMIN_PASSWORD: password };

/** The same with the first page, once it is shown. */
export async function openHome(chrome: Browser, url: string): Promise<Visit> {
  const visited = await visit(chrome, url, '/');
  await visited.page.getByRole('heading', { name: 'Home' }).waitFor();
  return visited;
}

/** The rules of WCAG 2.2 AA. Only contrast differs between themes. */
export const themes = [
  ['light', ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa']],
  ['dark', ['color-contrast']],
] as const;

/** Violations of rules, and whether the page is broader than the window. */
export async function faultsOf(page: Page, rules: readonly string[] = themes[0][1]): Promise<string[]> {
  // A page is looked at in two themes, and the script has half a megabyte.
  if (!(await page.evaluate<boolean>(`'axe' in globalThis`))) await page.evaluate(axe.source);
  const run = `axe.run(document, { runOnly: ${JSON.stringify(rules)} })`;
  const { violations } = await page.evaluate<Pick<axe.AxeResults, 'violations'>>(run);
  const excess = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
  const faults = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
  return excess > 0 ? [...faults, `broader than the window by ${excess}`] : faults;
}
