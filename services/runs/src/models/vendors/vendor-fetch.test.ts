import { expect, test } from 'vitest';
import { createVendorFetch } from './vendor-fetch.ts';

const answering = (answer: Response) => createVendorFetch({ fetch: () => Promise.resolve(answer) });

test('an answer passes unchanged', async () => {
  const headers = { 'retry-after': '1' };
  const response = await answering(new Response('12345', { status: 429, headers }))('http://x');
  expect(response.status).toBe(429);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(await response.text()).toBe('12345');
});

test('an answer without a body passes', async () => {
  const response = await answering(new Response(null, { status: 204 }))('http://x');
  expect(response.status).toBe(204);
});

const line = 'x'.repeat(1_100_000);

test('a long line breaks where a stream was asked for, whatever the answer says of itself', async () => {
  const headers = { 'content-type': 'application/json' };
  const asked = { method: 'POST', body: JSON.stringify({ stream: true }) };
  await expect((await answering(new Response(line, { headers }))('http://x', asked)).text()).rejects.toThrow('event');
  const gemini = answering(new Response(line, { headers }))('http://x/models/a:streamGenerateContent?alt=sse');
  await expect((await gemini).text()).rejects.toThrow('event');
});

test('a long line passes where the answer is read as a whole, also when the conversation speaks of streams', async () => {
  const asked = { method: 'POST', body: JSON.stringify({ text: '"stream":true' }) };
  expect(await (await answering(new Response(line))('http://x', asked)).text()).toHaveLength(line.length);
});

test('an answer goes on when its run has a step', async () => {
  const steps: string[] = [];
  const step = async (): Promise<void> => void steps.push('taken');
  const fetch = createVendorFetch({ fetch: () => Promise.resolve(new Response('12')), step });
  expect(await (await fetch('http://x')).text()).toBe('12');
  expect(steps).toEqual(['taken']);
});
