import { expect, test } from 'vitest';
import { readEventarc, readPubSub } from './trigger.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

test('data that is JSON keeps the digits of its numbers, and other data is a text', () => {
  const numbers = '{"id":12345678901234567890,"sum":1.10}';
  expect(readPubSub({ message: { data: base64(` ${numbers}\n`) } }).text).toBe(`{"data":${numbers},"attributes":{}}`);
  expect(readPubSub({ message: { data: base64('12 apples "red"\0') } }).text).toBe(
    String.raw`{"data":"12 apples \"red\"\u0000","attributes":{}}`,
  );
  for (const data of [undefined, null, '']) {
    const message = { ...(data !== undefined && { data }), attributes: { a: 'b' } };
    expect(readPubSub({ message }).text).toBe('{"data":null,"attributes":{"a":"b"}}');
  }
});

test.each(['!!!not-valid-base64!!!', 'a', base64('x').slice(0, 3), Buffer.from([0xff, 0xfe, 0xfd]).toString('base64')])(
  'Pub/Sub is refused the data %j, which an event keeps as it is',
  (data) => {
    const isText = data === base64('x').slice(0, 3);
    if (isText) return expect(readPubSub({ message: { data } }).text).toBe('{"data":"x","attributes":{}}');
    expect(() => readPubSub({ message: { data } })).toThrow('Invalid base64 message data');
    expect(readEventarc({ message: { data } }, {}).text).toBe(`{"data":${JSON.stringify(data)},"attributes":{}}`);
    expect(readEventarc({ data: { message: { data } } }, {}).text).toBe(
      `{"data":${JSON.stringify(data)},"attributes":{}}`,
    );
  },
);

test('the user is the subscription or the source without slashes', () => {
  const userOf = (subscription?: string) =>
    readPubSub({ message: {}, ...(subscription !== undefined && { subscription }) }).userId;
  expect(userOf('projects/p/subscriptions/orders')).toBe('projects--p--subscriptions--orders');
  expect([undefined, '', ' / '].map(userOf)).toEqual(['pubsub-caller', 'pubsub-caller', 'pubsub-caller']);
  const headers = { 'ce-source': '//pubsub.googleapis.com/projects/p/topics/t' };
  expect(readEventarc({ data: {} }, headers).userId).toBe('pubsub.googleapis.com--projects--p--topics--t');
  expect(readEventarc({ data: {}, source: 'mine' }, headers).userId).toBe('mine');
  expect(readEventarc({}, {}).userId).toBe('eventarc-caller');
});

test('the delivery names the message in ADK’s form', () => {
  const message = { messageId: 'm1', publishTime: '2026-01-01T00:00:00Z' };
  expect(readPubSub({ message, subscription: 's' }).delivery).toEqual({
    source: 'pubsub',
    id: 'm1',
    subscription: 's',
    publish_time: '2026-01-01T00:00:00Z',
  });
  expect(readEventarc({ message }, { 'ce-type': 't' }).delivery).toEqual({
    source: 'eventarc',
    id: 'm1',
    event_source: null,
    type: 't',
  });
  expect(readEventarc({ message }, { 'ce-id': 'e1' }).delivery.id).toBe('e1');
});
