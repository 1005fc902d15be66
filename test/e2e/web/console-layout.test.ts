import type { Page } from 'playwright-core';
import { expect, inject, test } from 'vitest';
import { makeAgent } from '../agents/make-agent.ts';
import { browserOfFile, faultsOf, openHome } from './open-console.ts';

const url = inject('meshUrl');
const timeout = 180_000;
const openedBrowser = browserOfFile();

/** Pixels by which something reaches beyond the window, to the right or below. */
const excessOf = (page: Page, selector: string): Promise<number> =>
  page.evaluate<number>(`(() => {
    const { right, bottom } = document.querySelector('${selector}').getBoundingClientRect();
    return Math.max(0, right - innerWidth, bottom - innerHeight);
  })()`);

test('a chat fits the window beside an agent with a long name, and below the note that the server is away', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await makeAgent(caller, { agent_name: `agent_${'of_a_template_'.repeat(6)}` });
  await page.goto(`${url}/console/chat/echo`);
  await page.getByLabel('Write a message').waitFor();
  for (const width of [1_280, 1_024, 360]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await faultsOf(page)).toEqual([]);
    expect(await excessOf(page, '.chat-head a.button')).toBe(0);
    expect(await excessOf(page, '.composer')).toBe(0);
  }
  await context.setOffline(true);
  await page.evaluate(`dispatchEvent(new Event('focus'))`);
  await page.getByText('The server cannot be reached.').first().waitFor();
  for (const width of [1_280, 360]) {
    await page.setViewportSize({ width, height: 740 });
    expect(await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight')).toBe(0);
  }
  await context.close();
});

test('fields that filter a list show the whole of their names', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openHome(browser, url);
  for (const width of [1_440, 1_024, 360]) {
    await page.setViewportSize({ width, height: 740 });
    for (const screen of ['/sessions?app=echo', '/runs']) {
      await page.goto(`${url}/console${screen}`);
      for (const field of await page.getByRole('search').locator('input').all()) {
        // A value takes the room that the name has in an empty field.
        await field.fill((await field.getAttribute('placeholder')) ?? '');
        expect(await field.evaluate(isCut)).toBe(false);
      }
    }
  }
  await context.close();
});

const isCut = ({ scrollWidth, clientWidth }: { scrollWidth: number; clientWidth: number }): boolean =>
  scrollWidth > clientWidth;

test('the filters of runs stand in one row on a small laptop, with a scroll bar too', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page } = await openHome(browser, url);
  await page.setViewportSize({ width: 1_280 - 15, height: 740 });
  await page.goto(`${url}/console/runs`);
  const fields = page.getByRole('search').locator('.input');
  await fields.nth(5).waitFor();
  const boxes = await Promise.all((await fields.all()).map((field) => field.boundingBox()));
  expect(new Set(boxes.map((box) => box?.y)).size).toBe(1);
  await context.close();
});

test('the name of an agent is not broken beside the reason of its failure on a phone', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  await caller.run(await caller.createSession('echo'), '[[fail:This model needs a key: set OPENAI_API_KEY.]]');
  await page.setViewportSize({ width: 390, height: 740 });
  await page.reload();
  const name = page.getByRole('table', { name: 'Failed last' }).getByRole('link');
  await name.waitFor();
  // The sample that a newcomer tries first.
  await page.evaluate(`for (const link of document.querySelectorAll('.lead-cell a')) link.textContent = 'assistant'`);
  const [broken, whole] = await Promise.all([
    name.boundingBox(),
    page.getByRole('table', { name: 'Latest runs' }).getByRole('link').boundingBox(),
  ]);
  expect(broken?.height).toBe(whole?.height);
  await context.close();
});

/** The side on which an element's text begins. */
const sideOf = (page: Page, selector: string): Promise<string> =>
  page.evaluate<string>(`(() => {
    const node = document.createTreeWalker(document.querySelector('${selector}'), NodeFilter.SHOW_TEXT).nextNode();
    const xOf = (at) => { const range = new Range(); range.setStart(node, at); range.setEnd(node, at + 1); return range.getBoundingClientRect().x; };
    return xOf(0) > xOf(node.length - 1) ? 'right' : 'left';
  })()`);

test('a text is written from the side of its script: Arabic from the right, also when it ends in Latin letters', {
  timeout,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await openHome(browser, url);
  await page.goto(`${url}/console/chat/echo`);
  const field = page.getByLabel('Write a message');
  for (const [text, side] of [
    ['hello مرحبا', 'left'],
    ['مرحبا hello', 'right'],
  ] as const) {
    await field.fill(text);
    const direction = await page.evaluate<string>(
      `getComputedStyle(document.querySelector('.composer textarea')).direction`,
    );
    expect(direction).toBe(side === 'left' ? 'ltr' : 'rtl');
    await page.keyboard.press('Enter');
    await page.locator('.prose', { hasText: text }).waitFor();
    await page.getByText('Completed').waitFor();
    expect(await sideOf(page, '.message:nth-last-child(2) .bubble')).toBe(side);
    expect(await sideOf(page, '.message:last-child .prose')).toBe(side);
  }
  expect(complaints).toEqual([]);
  await context.close();
});

test('the actions of saved keys and tokens with long names are inside the window of a phone', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const name = 'k'.repeat(60);
  await caller.request('POST', '/api/saved-api-keys', {
    key_name: name,
    provider: 'openrouter',
    api_key_value: 'sk-test-0123456789abcdef',
  });
  await caller.request('POST', '/api/auth/tokens', { name, scopes: ['runs:read'], expires_in_seconds: 86_400 });
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [screen, action] of [
    ['/keys', 'Delete'],
    ['/account?tab=tokens', 'Revoke'],
  ] as const) {
    await page.goto(`${url}/console${screen}`);
    const button = page.getByRole('main').getByRole('button', { name: action });
    await button.waitFor();
    const box = await button.boundingBox();
    expect((box?.x ?? NaN) + (box?.width ?? NaN)).toBeLessThanOrEqual(360);
  }
  await context.close();
});

test('a message at a field of a form is plain text, without the box of the failure of a run', { timeout }, async ({
  skip,
}) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const session = await caller.createSession('echo');
  await page.goto(`${url}/console/chat/echo/${session.id}?user=u1`);
  await page.getByRole('link', { name: 'Keys and limits' }).click();
  await page.getByRole('button', { name: 'Add a key' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name').fill('k'.repeat(1_000));
  await dialog.getByLabel('Key', { exact: true }).fill('sk-test-0123456789abcdef');
  await dialog.getByRole('button', { name: 'Save' }).click();
  const style = dialog.locator('.field').getByRole('alert').evaluate(paddingOf);
  expect(await style).toBe('0px');
  await context.close();
});

const paddingOf = (element: unknown): string =>
  (globalThis as unknown as { getComputedStyle(of: unknown): { padding: string } }).getComputedStyle(element).padding;

test('a choice of a whole sentence is inside its card on a phone', { timeout }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await openHome(browser, url);
  const chooser = `agent${await makeAgent(caller, { agent_tools: ['get_user_choice'] })}`;
  const choice = 'The way along the coast, which is longer and needs a second day';
  await caller.run(await caller.createSession(chooser), `[[tool:get_user_choice {"options": ["No", "${choice}"]}]]`);
  await page.setViewportSize({ width: 360, height: 740 });
  await page.goto(`${url}/console/inbox`);
  const [button, label] = [page.getByRole('button', { name: choice }), page.getByLabel('Another answer')];
  const rightOf = async (shown: typeof label): Promise<number> => {
    const { x = 0, width = 0 } = (await shown.boundingBox()) ?? {};
    return x + width;
  };
  await button.waitFor();
  expect(await rightOf(button)).toBeLessThanOrEqual(await rightOf(label));
  await context.close();
});
