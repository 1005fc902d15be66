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
  await page.goto(`${url}/console/chat/echo`);
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
