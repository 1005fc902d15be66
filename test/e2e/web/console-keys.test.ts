import { expect, inject, test } from 'vitest';
import { browserOfFile, visit } from './open-console.ts';

const url = inject('meshUrl');
const openedBrowser = browserOfFile();

test('a limit is deleted only after a question', { timeout: 180_000 }, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { context, page, complaints } = await visit(browser, url, '/keys?tab=limits');
  await page.getByRole('button', { name: 'Set a limit' }).click();
  await page.getByLabel('Requests').fill('9');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  const limit = page.getByText('0 / 9');
  await limit.waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const question = page.getByRole('dialog', { name: 'Delete the limit?' });
  await question.getByRole('button', { name: 'Cancel' }).click();
  await question.waitFor({ state: 'detached' });
  expect(await limit.count()).toBe(1);
  await page.getByRole('button', { name: 'Delete' }).click();
  await question.getByRole('button', { name: 'Delete' }).click();
  await page.getByText('No limits').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});
