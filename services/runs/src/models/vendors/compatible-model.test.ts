import { expect, test } from 'vitest';
import { compatibleModel } from './compatible-model.ts';

const answer = { choices: [{ index: 0, message: { content: 'hi' }, finish_reason: 'stop' }] };
const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: 'hello' }] }];

/** A call of one account: what its own fetch was sent as key. */
async function call(apiKey: string | undefined, isStream: boolean): Promise<(string | null)[]> {
  const keys: (string | null)[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    keys.push(new Headers(init?.headers).get('authorization'));
    await Promise.resolve();
    return isStream
      ? new Response('data: [DONE]\n\n', { headers: { 'content-type': 'text/event-stream' } })
      : Response.json(answer);
  };
  const endpoint = { baseUrl: 'http://a.example/v1', fetch, ...(apiKey !== undefined && { apiKey }) };
  const model = compatibleModel('x', endpoint);
  if (!isStream) await model.doGenerate({ prompt });
  else for await (const _ of (await model.doStream({ prompt })).stream);
  return keys;
}

test.each([true, false])(
  'calls of an address at the same time are each sent with their own key and fetch (stream: %s)',
  async (isStream) => {
    const keys = ['one', undefined, 'two'];
    const sent = await Promise.all(keys.map((key) => call(key, isStream)));
    expect(sent).toEqual([['Bearer one'], [null], ['Bearer two']]);
  },
);

test('no key is left for a later call that has none', async () => {
  expect(await call('one', false)).toEqual(['Bearer one']);
  expect(await call(undefined, false)).toEqual([null]);
});
