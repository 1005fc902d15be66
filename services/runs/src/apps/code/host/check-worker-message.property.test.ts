import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faultOfCode, isWorkerMessage } from './check-worker-message.ts';

const event = { timestamp: 1, author: 'a', content: undefined, actions: { stateDelta: {}, artifactDelta: {} } };

test.each([
  { kind: 'event', run: 1, event, waits: false, last: true },
  {
    kind: 'event',
    run: 1,
    event: { ...event, content: { role: 'model', parts: [{ text: 'x' }] } },
    waits: true,
    last: false,
  },
  { kind: 'done', run: 1 },
  { kind: 'call', run: 1, call: 2, request: { to: 'memory', method: 'searchMemory', args: [{ query: 'x' }] } },
  { kind: 'loaded', rootName: 'a', description: '', graphJson: new Uint8Array(1), files: [] },
])('takes %j', (message) => {
  expect(isWorkerMessage(message)).toBe(true);
});

test.each([
  null,
  1,
  { kind: 'refused', mistakes: null, files: [] },
  { kind: 'event', run: 1, event: null, waits: false, last: false },
  { kind: 'event', run: 1, event: { actions: null }, waits: false, last: false },
  { kind: 'done', run: 1, error: {} },
  { kind: 'call', run: 1, call: 1, request: null },
  { kind: 'constructor' },
])('refuses %j', (message) => {
  expect(isWorkerMessage(message)).toBe(false);
});

test('never throws', () => {
  fc.assert(fc.property(fc.anything(), (value) => void isWorkerMessage(value)));
  const kinds = fc.constantFrom('event', 'done', 'call', 'loaded', 'refused', 'tool');
  fc.assert(
    fc.property(
      kinds,
      fc.dictionary(fc.constantFrom('run', 'event', 'request', 'mistakes', 'error'), fc.anything()),
      (kind, rest) => void [isWorkerMessage({ ...rest, kind }), faultOfCode({ run: 1, ...rest, kind })],
    ),
  );
});
