import { expect, test } from 'vitest';
import { messageIdOf } from './message-id-of.ts';

test.each([
  ['Users/6e0b/Messages/AAMkAa-_=', 'AAMkAa-_='],
  ["me/mailFolders('Inbox')/messages/AAMkAa=", 'AAMkAa='],
  ["/users/6e0b/mailFolders/abc/MESSAGES('AAMkAa=')", 'AAMkAa='],
  ['me/messages/AAMk%2Fa%3D', 'AAMk/a='],
  ['me/messages/%', undefined],
  ['me/messages', undefined],
  ['me/messages/', undefined],
  ['me/messages/a/attachments/b', undefined],
  ['me/events/a', undefined],
  ["me/messages('a')/x", undefined],
  [undefined, undefined],
  [7, undefined],
])('the message of %j is %j', (resource, id) => {
  expect(messageIdOf(resource)).toBe(id);
});
