import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import open from 'open';
import { afterAll, expect, test, vi } from 'vitest';
import { openConsole } from './open-console.ts';

const folder = mkdtempSync(join(tmpdir(), 'agentmesh-browser-'));
afterAll(() => rmSync(folder, { recursive: true }));

test('the browser opens the console when the server is ready and not before, and none of a server that was there', async () => {
  const [browser, opened] = [join(folder, 'browser'), join(folder, 'opened')];
  writeFileSync(browser, `#!/bin/sh\necho "$1" >> ${opened}\n`);
  chmodSync(browser, 0o755);
  vi.stubEnv('BROWSER', browser);
  let asked = 0;
  const server = createServer((_, response) => {
    asked += 1;
    expect(existsSync(opened)).toBe(false);
    response.writeHead(asked < 3 ? 503 : 200).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await openConsole(url, new AbortController().signal);
  await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toBe(`${url}/console/\n`);
  // A mesh that answers already is another one: that of this command takes another port, and prints it.
  rmSync(opened);
  await openConsole(url, new AbortController().signal);
  await open('http://later/');
  await expect.poll(() => existsSync(opened) && readFileSync(opened, 'utf8')).toContain('later');
  expect(readFileSync(opened, 'utf8')).toBe('http://later/\n');
  vi.unstubAllEnvs();
  server.close();
});
