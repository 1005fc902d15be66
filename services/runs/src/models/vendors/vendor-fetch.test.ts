import { expect, test } from 'vitest';
import { createVendorFetch } from './vendor-fetch.ts';

const answering =
  (answer: Response): typeof fetch =>
  () =>
    Promise.resolve(answer);

test('an answer passes unchanged up to the limit', async () => {
  const headers = { 'retry-after': '1' };
  const response = await createVendorFetch(answering(new Response('12345', { status: 429, headers })), 5)('http://x');
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.text()).toBe('12345');
});

test('an answer that is too large breaks, and the rest of it is not fetched', async () => {
  let cancelled = false;
  const endless = new ReadableStream({
    pull: (controller) => controller.enqueue(new Uint8Array(4)),
    cancel: () => {
      cancelled = true;
    },
  });
  const response = await createVendorFetch(answering(new Response(endless)), 100)('http://x');
  await expect(response.text()).rejects.toThrow('too large');
  await expect.poll(() => cancelled).toBe(true);
});

test('an answer without a body passes', async () => {
  const response = await createVendorFetch(answering(new Response(null, { status: 204 })))('http://x');
  expect(response.status).toBe(204);
});
