import { expect, test } from 'vitest';
import { boundMcpFetch } from './bounded-fetch.ts';

/** Reads an answer of this body. */
function read(body: string, contentType: string, method = 'POST'): Promise<string> {
  const answer = () => Promise.resolve(new Response(body, { headers: { 'content-type': contentType } }));
  const fetch = boundMcpFetch(answer, () => undefined);
  return fetch('https://a.example.com/', { method }).then((response) => response.text());
}

test.each([
  ['a message', '{"id":1,"result":{}}', 'application/json'],
  ['a long text', JSON.stringify({ text: 'word, word. '.repeat(90_000) }), 'application/json'],
  ['999 events', 'data: {}\n\n'.repeat(999), 'text/event-stream'],
])('%s is read', async (_, body, type) => {
  expect(await read(body, type)).toBe(body);
});

test.each([
  ['an array of messages', ' [{"id":1}]', 'application/json'],
  ['too many values', `{"a":[${'{},'.repeat(200_000)}{}]}`, 'application/json'],
  ['too many events', 'data: {}\n\n'.repeat(2_001), 'text/event-stream'],
  ['too many bytes', 'x'.repeat(9_000_000), 'application/json'],
])('%s is refused', async (_, body, type) => {
  await expect(read(body, type)).rejects.toThrow('The server answered with');
});

test('a stream that stays open may hold more events, each of them bounded', async () => {
  expect(await read('data: {}\n\n'.repeat(9_000), 'text/event-stream', 'GET')).toHaveLength(90_000);
  await expect(read('data: {}\n\n'.repeat(10_001), 'text/event-stream', 'GET')).rejects.toThrow('lines');
  await expect(read(`data: ${'x'.repeat(1_100_000)}`, 'text/event-stream', 'GET')).rejects.toThrow('event');
});
