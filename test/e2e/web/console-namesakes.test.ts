import { expect, inject, test } from 'vitest';
import { browserOfFile, openHome } from './open-console.ts';

const url = inject('meshUrl');
const openedBrowser = browserOfFile();

test('the page of a run shows and answers the run of the session that its link names, also while a newer run has its id', {
  timeout: 180_000,
}, async ({ skip }) => {
  const browser = openedBrowser();
  if (browser === undefined) return skip('there is no Chromium');
  const { caller, context, page, complaints } = await openHome(browser, url);
  const [older, newer] = [await caller.createSession('approve'), await caller.createSession('approve')];
  const invocationId = `twin-${older.id}`;
  for (const session of [older, newer]) await caller.run(session, '[[state:paid=yes]]', { invocationId });
  const statusIn = async ({ id }: { readonly id: string }): Promise<string> =>
    (await caller.request<{ status: string }>('GET', `/runs/${invocationId}?session=${id}`)).body.status;
  expect([await statusIn(older), await statusIn(newer)]).toEqual(['waiting', 'waiting']);

  await page.goto(`${url}/console/runs`);
  const rows = page.getByRole('table', { name: 'Runs' }).locator('a[data-row]');
  await expect.poll(() => rows.count()).toBe(2);
  const asked: (string | null)[] = [];
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (pathname.startsWith(`/runs/${invocationId}`)) asked.push(searchParams.get('session'));
  });
  await rows.last().click();
  for (const tab of ['Events', 'Log', 'Record']) await page.getByRole('link', { name: tab }).click();
  await page.locator('#main').getByText(older.id).first().waitFor();
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect.poll(() => statusIn(older)).toBe('completed');
  expect(await statusIn(newer)).toBe('waiting');
  expect(new Set(asked)).toEqual(new Set([older.id]));

  // A link without names means the newest one.
  await page.goto(`${url}/console/runs/${invocationId}?tab=record`);
  await page.locator('#main').getByText(newer.id).first().waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect.poll(() => statusIn(newer)).toBe('cancelled');
  expect(complaints).toEqual([]);
  await page.getByRole('link', { name: 'Webhook' }).click();
  await page.getByText('The run has no webhook.').waitFor();
  await context.close();
});
