import { Writable } from 'node:stream';
import { expect, test, vi } from 'vitest';
import { MessageSender } from './message-sender.ts';

const kib = 1024;

/** A stream whose writes end when `written` is called, and a sender whose messages are joined with commas. */
function open() {
  const sent: string[] = [];
  const ends: (() => void)[] = [];
  const stream = new Writable({
    write(message: Buffer, _encoding, done) {
      sent.push(message.length > 100 ? `${message.length}` : String(message));
      ends.push(done);
    },
  });
  const sender = new MessageSender(stream, (messages) => Buffer.from(messages.join(',')));
  sender.takesSeveral = true;
  const send = (...messages: string[]): void => messages.forEach((message) => sender.send(Buffer.from(message)));
  return { sent, send, sender, stream, written: () => ends.shift()?.() };
}

const behindWork = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('messages of one round go together at its end, and those that come while they are on their way when they are written', async () => {
  const { sent, send, written } = open();
  send('a');
  await Promise.resolve().then(() => send('b'));
  await behindWork();
  send('c');
  expect(sent).toEqual([]);
  await settled();
  expect(sent).toEqual(['a,b,c']);
  send('d', 'e');
  await settled();
  expect(sent).toEqual(['a,b,c']);
  written();
  await settled();
  expect(sent).toEqual(['a,b,c', 'd,e']);
  written();
  await settled();
  send('f');
  await settled();
  expect(sent).toEqual(['a,b,c', 'd,e', 'f']);
});

test('while rounds are long, messages of one piece of work go behind it, and no later', async () => {
  const { sent, send, written } = open();
  const clock = vi.spyOn(performance, 'now').mockReturnValue(0);
  send('a');
  await settled();
  clock.mockReturnValue(3);
  written();
  await settled();
  send('b');
  await Promise.resolve().then(() => send('c'));
  expect(sent).toEqual(['a']);
  await behindWork();
  expect(sent).toEqual(['a', 'b,c']);
  written();
  await settled();
  send('d');
  await behindWork();
  expect(sent).toEqual(['a', 'b,c']);
});

test('a large message goes alone, many go in several parts, and the order is kept', async () => {
  const { sent, send, written } = open();
  send('a', 'b', 'x'.repeat(65 * kib), 'c', 'd', ...Array.from({ length: 70 }, () => 'y'));
  for (let writes = 0; writes < 9; writes += 1) {
    await settled();
    written();
  }
  expect(sent.slice(0, 2)).toEqual(['a,b', `${65 * kib}`]);
  expect(sent.slice(2)).toEqual([String('c,d,'.length + 2 * 62 - 1), Array.from({ length: 8 }, () => 'y').join(',')]);
});

test('an end comes behind all messages that wait', async () => {
  const { sent, send, sender, stream, written } = open();
  send('a');
  await settled();
  send('b', 'c');
  sender.end();
  for (let writes = 0; writes < 3; writes += 1) {
    written();
    await settled();
  }
  expect([sent, stream.writableFinished]).toEqual([['a', 'b,c'], true]);
});

test('nothing is written behind the end of a stream that grpc-js ends by itself', async () => {
  const { sent, send, stream, written } = open();
  const failed = vi.fn<() => void>();
  stream.on('error', failed);
  send('a');
  await settled();
  send('b', 'c');
  stream.end();
  written();
  await settled();
  expect([sent, failed.mock.calls]).toEqual([['a'], []]);
});

test('another end that does not take several messages in one gets each by itself', async () => {
  const { sent, send, sender, written } = open();
  sender.takesSeveral = false;
  send('a', 'b', 'c');
  for (let writes = 0; writes < 3; writes += 1) {
    written();
    await settled();
  }
  expect(sent).toEqual(['a', 'b', 'c']);
});
