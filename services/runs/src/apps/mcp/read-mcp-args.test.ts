import { expect, test } from 'vitest';
import { readMcpServer } from './read-mcp-args.ts';

test('a timeout of any part of a second is one of whole milliseconds', () => {
  const http = readMcpServer(
    { streamable_http_connection_params: { url: 'https://a.example', timeout: 0.2505 } },
    undefined,
  );
  expect(http).toMatchObject({ timeoutMs: 251 });
  const program = readMcpServer(
    { stdio_connection_params: { server_params: { command: 'a' }, timeout: 0.0001 } },
    undefined,
  );
  expect(program).toMatchObject({ timeoutMs: 1, startMs: 1 });
});
