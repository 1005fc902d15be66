import { createAddressPolicy } from '@agentmesh/lib/outbound';
import { describe, expect, test } from 'vitest';
import type { ToolResolver } from '../definition/tool-resolver.ts';
import { checkMcpEntry } from './mcp-resolver.ts';
import { createToolResolvers } from './tool-resolvers.ts';

const policy = createAddressPolicy(['127.0.0.1/32']);
const faults = (args: object, isTrusted = true): string[] =>
  checkMcpEntry({ name: 'MCPToolset', args }, { policy, isTrusted }).map(
    ({ path, reason }) => `${path.join('.')}: ${reason}`,
  );
const http = (over: object = {}, rest: object = {}) => ({
  streamable_http_connection_params: { url: 'https://mcp.example.com/mcp?a=1', ...over },
  ...rest,
});

test('`required` is a mistake beside a tool whose source is never away', () => {
  const kind = (name: string, canBeAway: boolean): ToolResolver => ({
    names: [name],
    canBeAway,
    owns: (one) => one === name,
    check: () => [],
    make: () => undefined,
  });
  const tools = createToolResolvers([kind('MCPToolset', true), kind('http_get', false)]);
  expect(tools.check({ name: 'MCPToolset', required: true })).toEqual([]);
  expect(tools.check({ name: 'http_get', required: false })).toEqual([]);
  expect(tools.check({ name: 'http_get', required: true })).toMatchObject([{ path: ['required'] }]);
});

describe('an entry MCPToolset', () => {
  test.each([
    http(),
    http({ url: 'http://127.0.0.1:3000/mcp', timeout: 0.5, headers: { 'x-a': 'b' } }),
    { sse_connection_params: { url: 'https://mcp.example.com/sse' } },
    http(
      {},
      {
        tool_filter: ['a'],
        tool_name_prefix: 'p',
        state_header_mapping: { 'user:t': 'x-t' },
        api_key: 'saved:apikey7',
      },
    ),
  ])('may say %j', (args) => {
    expect(faults(args)).toEqual([]);
    expect(faults(args, false)).toEqual([]);
  });

  test.each([
    [{}, /exactly one of/],
    [{ ...http(), sse_connection_params: { url: 'https://mcp.example.com/' } }, /exactly one of/],
    [http({ url: 'ftp://mcp.example.com' }), /url: .*https/],
    [http({ url: 'http://mcp.example.com' }), /url: .*https.*RUNS_MCP_ALLOW/],
    [http({ url: 'https://10.0.0.1/mcp' }), /url: .*10\.0\.0\.1.*RUNS_MCP_ALLOW/],
    [http({ url: 'https://[fd12::1]/mcp' }), /url: .*fd12::1.*RUNS_MCP_ALLOW/],
    [http({ url: 'http://tickets.internal/mcp' }), /url: .*tickets\.internal.*RUNS_MCP_ALLOW/],
    [http({ url: 'https://169.254.169.254/' }), /url: [^_]*169\.254\.169\.254[^_]*$/],
    [http({ url: 'http://metadata.google.internal/' }), /url: [^_]*metadata\.google\.internal[^_]*$/],
    [http({ url: 'http://user:pass@mcp.example.com/' }), /url: [^_]*password[^_]*$/],
    [http({ url: 'nonsense' }), /url: .*not a URL/],
    [http({ timeout: 0 }), /timeout: /],
    [http({ headers: { 'x a': 'b' } }), /headers\.x a: is not the name of a header/],
    [http({ headers: { 'x-a': 'b\r\nc' } }), /headers\.x-a: /],
    [http({ headers: { Host: 'b' } }), /protocol itself/],
    [http({}, { state_header_mapping: { a: 'mcp-session-id' } }), /protocol itself/],
    [http({}, { api_key: 'sk-secret' }), /api_key: must name a saved key/],
    [http({}, { tool_name_prefix: 'a b' }), /tool_name_prefix/],
    [http({}, { auth_scheme: {} }), /auth_scheme: is not a key here/],
  ])('must not say %j', (args, fault) => {
    expect(faults(args).join('\n')).toMatch(fault);
  });

  test('of an agent that is a record starts no program, and holds no secret', () => {
    const program = { stdio_connection_params: { server_params: { command: 'npx' } } };
    expect(faults(program)).toEqual([]);
    expect(faults(program, false).join()).toMatch(/only for files of AGENTS_DIR/);
    expect(faults({ stdio_server_params: { command: 'npx' } }, false).join()).toMatch(/only for files/);
    expect(faults(http({ headers: { Authorization: 'Bearer x' } }), false).join()).toMatch(/save the key/);
  });

  test('needs args', () => {
    expect(checkMcpEntry({ name: 'MCPToolset' }, { policy, isTrusted: true })).toMatchObject([{ path: ['args'] }]);
  });
});
