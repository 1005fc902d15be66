import { expect, test } from 'vitest';
import { checkMessage } from './check-message.ts';

const check = (content: unknown): string[] => checkMessage(new TextEncoder().encode(JSON.stringify(content)));
const response = (id: string): object => ({ functionResponse: { id, name: 'f', response: {} } });

test('returns the calls that a message answers', () => {
  expect(check({ parts: [response('1'), response('2')] })).toEqual(['1', '2']);
  expect(check({ parts: [{ text: 'hi' }] })).toEqual([]);
  expect(checkMessage(new Uint8Array(0))).toEqual([]);
});

test.each([
  [{ parts: [] }, 'No parts in the new_message.'],
  [{ role: 'user' }, 'No parts in the new_message.'],
  [{ parts: [{ functionCall: { name: 'f' } }] }, 'User message cannot contain function calls.'],
  [{ parts: [response('1'), { text: 'hi' }] }, 'Message cannot contain both function responses and text.'],
  [{ parts: [response('1'), { text: '' }] }, 'Message cannot contain both function responses and text.'],
  [
    { parts: [{ functionResponse: { name: 'f', response: {} } }] },
    'Function call not found for function response ids: ',
  ],
  [{ parts: [response('1'), response('')] }, 'Function call not found for function response ids: '],
])('%j is refused with the text of the reference', (content, text) => {
  expect(() => check(content)).toThrow(text);
});
