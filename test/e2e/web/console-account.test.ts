import { readFile } from 'node:fs/promises';
import { expect, inject, test } from 'vitest';
import { browserOfFile, faultsOf, visit } from './open-console.ts';

const url = inject('meshUrl');
const openedBrowser = browserOfFile();

interface Line {
  readonly kind: string;
  readonly data: Readonly<Record<string, unknown>>;
}

test('the owner of an account downloads everything in it as one whole file, sees how far it is, and may stop it', {
  timeout: 180_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await visit(browser, url, '/account?tab=data');
  const events = Array.from({ length: 300 }, (_, number) => ({
    author: 'user',
    content: { role: 'user', parts: [{ text: `${number} ${'word '.repeat(1_000)}` }] },
  }));
  const session = await caller.createSession('echo', { events });
  const download = page.getByRole('button', { name: 'Download everything' });

  const held = Promise.withResolvers<void>();
  await page.route('**/api/users/me/export', (route) => held.promise.then(() => route.abort().catch(() => undefined)));
  await download.click();
  await page.getByRole('progressbar', { name: 'Export' }).waitFor();
  expect(await faultsOf(page)).toEqual([]);
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('progressbar').waitFor({ state: 'detached' });
  held.resolve();
  expect(await page.locator('.toast').count()).toBe(0);
  await page.unroute('**/api/users/me/export');

  const [file] = await Promise.all([page.waitForEvent('download'), download.click()]);
  expect(file.suggestedFilename()).toMatch(/^agentmesh-\d{4}-\d\d-\d\d\.ndjson$/);
  await page.getByText('Your export is complete.').waitFor();
  const lines = (await readFile(await file.path(), 'utf8'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const { events: stored } = await caller.readSession(session);
  expect(lines.filter(({ kind }) => kind === 'event').map(({ data }) => data)).toEqual(stored);
  expect(lines.at(-1)).toMatchObject({ kind: 'end', data: { account: 1, session: 1, event: 300 } });

  await page.getByRole('link', { name: 'Activity' }).click();
  await page.getByText('Data exported').waitFor();
  expect(complaints).toEqual([]);
  await context.close();
});

test('the activity of an account shows more than 200 entries, which stay where they are while older ones are read', {
  timeout: 180_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page } = await visit(browser, url, '/account');
  await page.getByLabel('First name').waitFor();
  const { user_id: id } = (await caller.request<{ user_id: number }>('GET', '/api/users/me')).body;
  for (let count = 0; count < 201; count += 1)
    expect((await caller.request('PATCH', `/api/users/${id}`, { first_name: `Ada ${count}` })).status).toBe(200);
  await page.getByRole('link', { name: 'Activity' }).click();
  const entries = page.locator('#main .lines li');
  const first = await entries.first().elementHandle();
  for (const shown of [50, 100, 150, 200]) {
    await expect.poll(() => entries.count()).toBe(shown);
    await page.getByRole('button', { name: 'Show more' }).click();
  }
  await entries.getByText('Signed up').waitFor();
  expect(await first?.isVisible()).toBe(true);
  await context.close();
});
