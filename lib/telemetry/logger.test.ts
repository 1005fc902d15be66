import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { open } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { describe, expect, it } from 'vitest';
import { createLogger, requestContext } from './index.ts';

function capture(level = 'info') {
  const lines: string[] = [];
  const log = createLogger({ level, name: 'auth', destination: { write: (line) => void lines.push(line) } });
  return { log, lines, last: () => JSON.parse(lines.at(-1) ?? '{}') as Record<string, unknown> };
}

describe('createLogger', () => {
  it('writes one JSON object a line with name, level label and ISO time', () => {
    const { log, last } = capture();
    log.info({ count: 2 }, 'counted');
    expect(last()).toMatchObject({ level: 'info', name: 'auth', count: 2, msg: 'counted' });
    expect(String(last()['time'])).toMatch(/^\d{4}-\d\d-\d\dT/);
  });

  it('adds the id of the request being handled', () => {
    const { log, last } = capture();
    requestContext.run({ requestId: 'r-1' }, () => log.info('inside'));
    expect(last()['requestId']).toBe('r-1');
    log.info('outside');
    expect(last()).not.toHaveProperty('requestId');
  });

  it('redacts values under secret-looking keys at any depth and keeps counts of tokens', () => {
    const { log, lines, last } = capture();
    log.info({
      password: 'hunter2',
      headers: { Authorization: 'Bearer hunter2', cookie: 'hunter2' },
      keys: [{ apiKey: 'hunter2', refresh_token: 'hunter2', MESH_KEY: 'hunter2', client_secret: 'hunter2' }],
      maxTokens: 12,
    });
    expect(lines.join('')).not.toContain('hunter2');
    expect(last()).toMatchObject({ password: '[redacted]', maxTokens: 12 });
  });

  it('writes errors with type, code, stack and causes, and leaves out the objects attached to them', () => {
    const { log, lines, last } = capture();
    const error = Object.assign(new TypeError('broken', { cause: new Error('deeper') }), {
      code: 'E7',
      client: { host: 'db.internal', headers: { authorization: 'hunter2' } },
    });
    log.error({ err: error }, 'failed');
    expect(last()['err']).toMatchObject({
      type: 'TypeError',
      message: 'broken',
      code: 'E7',
      cause: { message: 'deeper' },
    });
    expect(lines.join('')).not.toContain('db.internal');
    log.error(error);
    expect(last()['err']).toMatchObject({ type: 'TypeError' });
    expect(lines.join('')).not.toContain('hunter2');
  });
});

it('leaves out what PostgreSQL tells of rows in the details of its errors', () => {
  const { log, lines, last } = capture();
  const error = Object.assign(new Error('null value in column "name" violates not-null constraint'), {
    code: '23502',
    detail: 'Failing row contains (7, ada@example.com, null).',
    where: `unnamed portal parameter $1 = 'ada@example.com'`,
    table: 'accounts',
  });
  log.error({ err: error }, 'failed');
  expect(last()['err']).toMatchObject({ code: '23502', table: 'accounts' });
  log.error({ err: new Error('not stored', { cause: new AggregateError([error]) }) }, 'failed');
  expect(JSON.stringify(last()['err'])).toContain('"23502"');
  expect(lines.join('')).not.toContain('ada@example.com');
});

describe('standard output', () => {
  /** A process that logs twice and ends with the code 7. */
  const program = `
    const { createLogger } = await import(process.argv[1]);
    const log = createLogger({ level: 'info', name: 'auth' });
    log.info('first');
    await new Promise((resolve) => setTimeout(resolve, 50));
    log.info('second');
    process.exit(7);
  `;
  const args = ['--input-type=module', '-e', program, new URL('index.ts', import.meta.url).href];

  it('has the lines of a process up to its end', async () => {
    const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    const lines = (await text(child.stdout)).trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg)).toEqual(['first', 'second']);
    expect((await ended)[0]).toBe(7);
  });

  it('has the last lines of a process that ends before its reader has taken them', async () => {
    // Node makes a pipe that does not wait for its reader when `console` is used.
    const noisy = `
      console.log('welcome');
      const { createLogger } = await import(process.argv[1]);
      const log = createLogger({ level: 'info', name: 'auth' });
      for (let line = 0; line < 5_000; line += 1) log.info('x'.repeat(200));
      process.exit(7);
    `;
    const child = spawn(process.execPath, args.with(2, noisy), { stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(child, 'exit');
    expect((await text(child.stdout)).trim().split('\n')).toHaveLength(5_001);
    expect((await ended)[0]).toBe(7);
  });

  it.runIf(process.platform === 'linux')('on a full disk loses lines, and ends no process', async () => {
    await using full = await open('/dev/full', 'w');
    const child = spawn(process.execPath, args, { stdio: ['ignore', full.fd, 'inherit'] });
    const timer = setTimeout(() => child.kill('SIGKILL'), 20_000);
    expect(await once(child, 'exit')).toEqual([7, null]);
    clearTimeout(timer);
  });
});
