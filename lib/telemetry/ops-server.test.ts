import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { afterEach, describe, expect, it } from 'vitest';
import { createMetrics, type OpsServer, runChecks, startOpsServer } from './index.ts';
import type { OpsServerOptions } from './ops-server.ts';

let server: OpsServer | undefined;
afterEach(async () => {
  await server?.[Symbol.asyncDispose]();
});

type Checks = Record<string, () => Promise<void>>;

type Waits = Pick<OpsServerOptions, 'optional' | 'optionalWaitMs' | 'profiles'>;

async function start(checks: Checks, own?: Checks, waits: Waits = {}) {
  const metrics = createMetrics();
  const hosts = ['mesh.example', '.svc'];
  server = await startOpsServer({ host: '0.0.0.0', port: 0, hosts, metrics, checks, ...(own && { own }), ...waits });
  const { port } = server;
  return { metrics, get: (path: string, init?: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init) };
}

const profiledScript = `
  const { createMetrics, startOpsServer } = await import(process.argv[1]);
  const address = { host: '127.0.0.1', port: 0, hosts: [] };
  const { port } = await startOpsServer({ ...address, metrics: createMetrics(), checks: {}, profiles: true });
  console.log(port);
`;

/** A process of its own that can be profiled: the heap of a process of tests is so large that a snapshot takes 15 s. */
async function startProfiled() {
  const module = new URL('index.ts', import.meta.url).href;
  const child = spawn(process.execPath, ['--input-type=module', '-e', profiledScript, module], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return {
    port: Number(line),
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await once(child, 'exit');
    },
  };
}

describe('startOpsServer', () => {
  it('serves process and own metrics as Prometheus text', async () => {
    const { metrics, get } = await start({});
    metrics.counter({ name: 'runs_total', help: 'Runs.' }).inc();
    const response = await get('/metrics');
    expect(response.headers.get('content-type')).toContain('text/plain');
    const text = await response.text();
    expect(text).toContain('runs_total 1');
    expect(text).toContain('process_cpu_seconds_total');
  });

  it('refuses foreign host names, on every address that it listens on', async () => {
    await start({});
    const port = server?.port ?? 0;
    const statusFor = async (host: string) => {
      const sent = request({ host: '127.0.0.1', port, path: '/livez', headers: { host } }).end();
      const [answer] = (await once(sent, 'response')) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    };
    for (const host of ['evil.example', `evil.example.:${port}`, 'a b', 'sub.mesh.example', 'evilsvc.example'])
      expect([host, await statusFor(host)]).toEqual([host, 403]);
    const own = ['127.0.0.1', '10.1.2.3:9090', '[fd00::1]:9090', `localhost:${port}`, 'mesh.localhost', 'mesh'];
    for (const host of [...own, `MESH.example:${port}`, 'auth.space.svc'])
      expect([host, await statusFor(host)]).toEqual([host, 200]);
  });

  it('is live while a dependency fails, and readiness names that dependency without its error text', async () => {
    const { get } = await start({
      database: () => Promise.reject(new Error('password authentication failed for 10.0.0.1')),
      bus: () => Promise.resolve(),
    });
    expect((await get('/livez')).status).toBe(200);
    const ready = await get('/readyz');
    expect(ready.status).toBe(503);
    expect(await ready.json()).toEqual({ status: 'unavailable', checks: { database: 'failed', bus: 'ok' } });
  });

  it('is ready when every check passes', async () => {
    const { get } = await start({ database: () => Promise.resolve() });
    expect((await get('/readyz')).status).toBe(200);
  });

  it('/readyz/own needs all checks to pass once, and later only the checks of the process itself', async () => {
    const failing = new Set(['sibling']);
    const check = (name: string) => async () => {
      if (failing.has(name)) throw new Error(name);
    };
    const own = { database: check('database') };
    const { get } = await start({ ...own, sibling: check('sibling') }, own);
    const statuses = async () => [(await get('/readyz')).status, (await get('/readyz/own')).status];
    expect(await statuses()).toEqual([503, 503]);
    failing.clear();
    expect(await statuses()).toEqual([200, 200]);
    failing.add('sibling');
    expect(await statuses()).toEqual([503, 200]);
    failing.add('database');
    expect(await statuses()).toEqual([503, 503]);
  });

  it('/readyz/own waits for optional dependencies for a while, and for those that are needed as long as they are away', async () => {
    const failing = new Set(['needed', 'optional']);
    const check = (name: string) => async () => {
      if (failing.has(name)) throw new Error(name);
    };
    const optional = { optional: check('optional') };
    const checks = { needed: check('needed'), ...optional };
    const { get } = await start(checks, {}, { optional, optionalWaitMs: 300 });
    const ask = async () => {
      const response = await get('/readyz/own');
      return [response.status, ((await response.json()) as { checks: object }).checks];
    };
    expect(await ask()).toEqual([503, { needed: 'failed', optional: 'failed' }]);
    await expect.poll(ask).toEqual([503, { needed: 'failed' }]);
    failing.delete('needed');
    expect(await ask()).toEqual([200, { needed: 'ok' }]);
    expect((await get('/readyz')).status).toBe(503);
  });

  it('answers JSON to unknown paths and other methods', async () => {
    const { get } = await start({});
    expect(await (await get('/nope')).json()).toEqual({ detail: 'Not Found' });
    expect((await get('/livez', { method: 'POST' })).status).toBe(405);
  });
});

describe('runChecks', () => {
  it('gives up on a check that hangs', async () => {
    const hang = () => new Promise<void>(() => undefined);
    expect(await runChecks({ database: hang }, 20)).toEqual({ ready: false, results: { database: 'timeout' } });
  });

  it('counts a check that throws at once as failed', async () => {
    const check = (): Promise<void> => {
      throw new Error('broken');
    };
    expect(await runChecks({ database: check })).toEqual({ ready: false, results: { database: 'failed' } });
  });
});

describe('createMetrics', () => {
  it('answers the same metric when a name is asked for again', () => {
    const metrics = createMetrics({ processMetrics: false });
    const options = { name: 'calls_total', help: 'Calls.', labelNames: ['code'] as const };
    expect(metrics.counter(options)).toBe(metrics.counter(options));
  });
});

describe('profiles', () => {
  it('are answered only where the settings say so: a heap snapshot holds secrets', async () => {
    const { get } = await start({});
    for (const path of ['/debug/heap', '/debug/cpu']) expect((await get(path)).status).toBe(404);
  });

  it('are a heap snapshot and a CPU profile of the process, one at a time', async () => {
    await using profiled = await startProfiled();
    const get = (path: string) => fetch(`http://127.0.0.1:${profiled.port}${path}`);
    const cpu = get('/debug/cpu?seconds=1');
    await expect.poll(async () => (await get('/debug/cpu?seconds=0')).status).toBe(409);
    expect(await (await cpu).json()).toMatchObject({ nodes: expect.any(Array), samples: expect.any(Array) });
    expect((await get('/debug/cpu?seconds=0')).status).toBe(400);
    const heap = await get('/debug/heap');
    expect(heap.headers.get('content-disposition')).toContain('.heapsnapshot');
    expect(await heap.json()).toMatchObject({ snapshot: { node_count: expect.any(Number) } });
  });
});
