import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type BaseTool, Context, createSession, InvocationContext, PluginManager } from '@google/adk/core';
import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '@agentmesh/lib/outbound';
import { builtInTools, toolNames } from './built-in-tools.ts';

const deps = { fetch: createGuardedFetch({ allow: ['127.0.0.1'] }), now: () => new Date('2026-07-01T12:00:00.500Z') };

function toolOf(name: string): BaseTool {
  const tool = builtInTools.get(name)?.(deps);
  if (tool === undefined) throw new Error(`no tool ${name}`);
  return tool;
}

function createContext(): Context {
  const session = createSession({ id: 's', appName: 'a', userId: 'u', state: {}, events: [], lastUpdateTime: 0 });
  const invocationContext = new InvocationContext({ invocationId: 'e-1', session, pluginManager: new PluginManager() });
  return new Context({ invocationContext });
}

async function call(name: string, args: Record<string, unknown>, toolContext = createContext()): Promise<unknown> {
  return toolOf(name).runAsync({ args, toolContext });
}

describe('the built-in tools', () => {
  test('every name in YAML is one tool, which has this name', () => {
    const names = [...toolNames];
    expect(new Set(names).size).toBe(names.length);
    for (const name of builtInTools.keys()) expect(toolOf(name).name).toBe(name);
  });

  test('get_current_time tells the time of a zone with its offset', async () => {
    expect(await call('get_current_time', {})).toEqual({ time: '2026-07-01T12:00:00+00:00', timezone: 'UTC' });
    const paris = await call('get_current_time', { timezone: 'Europe/Paris' });
    expect(paris).toEqual({ time: '2026-07-01T14:00:00+02:00', timezone: 'Europe/Paris' });
    expect(await call('get_current_time', { timezone: 'Mars/Base' })).toMatchObject({
      error: 'There is no time zone "Mars/Base". Use an IANA name.',
    });
    expect(await call('get_current_time', { timezone: 5 })).toHaveProperty('error');
  });

  test('http_get answers status, type and text, and failures as results', async () => {
    const server = createServer((_request, response) => {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('x'.repeat(70_000));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const found = await call('http_get', { url: `http://127.0.0.1:${port}/` });
    server.close();
    expect(found).toEqual({ status: 404, contentType: 'text/plain', body: 'x'.repeat(65_536), truncated: true });
    expect(await call('http_get', { url: 'http://169.254.169.254/' })).toMatchObject({
      error: 'The address cannot or may not be reached from here.',
    });
    expect(await call('http_get', {})).toMatchObject({
      error: 'The argument "url" must be a text that is not empty.',
    });
  });

  test('http_get uses the charset of the response, and returns only the size of a body that is not text', async () => {
    const server = createServer((request, response) => {
      if (request.url === '/binary') return response.end(Buffer.from([1, 0, 2]));
      return response.setHeader('content-type', 'text/plain; charset=latin1').end(Buffer.from([0xe9]));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(await call('http_get', { url: `${base}/` })).toMatchObject({ body: 'é' });
    expect(await call('http_get', { url: `${base}/binary` })).toEqual({ status: 200, contentType: '', bytes: 3 });
    server.close();
  });

  test('set_state writes the state delta of its event', async () => {
    const context = createContext();
    expect(await call('set_state', { key: 'user:lang', value: 'fr' }, context)).toEqual({
      key: 'user:lang',
      value: 'fr',
    });
    expect(context.actions.stateDelta).toEqual({ 'user:lang': 'fr' });
    expect(await call('set_state', { value: 1 })).toHaveProperty('error');
  });

  test('load_memory returns its failure as a result', async () => {
    expect(await call('load_memory', { query: 'x' })).toEqual({ error: 'Memory service is not initialized.' });
    expect(await call('load_memory', {})).toHaveProperty('error');
  });

  test.each([
    ['request_input', { message: 'Which?' }],
    ['get_user_choice', { options: ['this', 'that'] }],
  ])('%s is long-running and leaves its answer open', async (name, args) => {
    expect(toolOf(name).isLongRunning).toBe(true);
    expect(await call(name, args)).toBeNull();
  });

  test('exit_loop ends the loop', async () => {
    const context = createContext();
    await call('exit_loop', {}, context);
    expect(context.actions).toMatchObject({ escalate: true, skipSummarization: true });
  });
});
