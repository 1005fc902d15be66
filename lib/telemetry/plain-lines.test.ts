import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { createLogger, logAccess, plainLines } from './index.ts';

function capture(level = 'access') {
  const lines: string[] = [];
  const destination = plainLines((text) => void lines.push(stripVTControlCharacters(text)));
  return { lines, log: createLogger({ level, name: 'mesh', destination }) };
}

test('a line for a person has the time of day, the words and the facts, and no JSON', () => {
  const { lines, log } = capture();
  logAccess(log.child({ service: 'runs' }), { app: 'desk', ms: 12, status: 200 }, 'run');
  expect(lines).toEqual([expect.stringMatching(/^\d\d:\d\d:\d\d runs desk run {2}ms=12 status=200\n$/)]);
});

test('an error is told with its stack, and secrets are left out', () => {
  const { lines, log } = capture();
  log.error({ err: new Error('broken'), password: 'hunter2' }, 'failed');
  expect(lines[0]).toMatch(/^\d\d:\d\d:\d\d ERROR failed {2}password=\[redacted\]\nError: broken\n\s+at /);
});

test('requests and runs are told from the level access on', () => {
  const { lines, log } = capture('info');
  logAccess(log, {}, 'request');
  log.info('ready');
  expect(lines).toHaveLength(1);
});
