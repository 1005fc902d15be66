import { randomUUID } from 'node:crypto';
import { LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { type Edge, startEdge, token } from '../edge.ts';

let edge: Edge;
/** Attempts that the run has had. */
let attempt = 1;
/** Signals of the pages that were asked for. */
let readings: AbortSignal[] = [];
const run = { invocationId: 'r', appName: 'a', userId: 'user', sessionId: 's', status: RunStatus.COMPLETED };

beforeAll(async () => {
  edge = await startEdge({
    runs: { listApps: () => ({ apps: [{ name: 'a' }] }) },
    sessions: {
      listRuns: () => ({ runs: [] }),
      getRun: () => ({ run: create(LedgerRunSchema, { ...run, attempt }) }),
      listEvents: async (_, { signal }) => {
        readings.push(signal);
        if (attempt > 1) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
        return {};
      },
    },
  });
});
afterAll(() => edge[Symbol.asyncDispose]());
beforeEach(() => void (readings = []));

const tool = { type: 'dynamic-tool', toolName: 't', toolCallId: 'f', state: 'output-available', input: {}, output: 1 };
const given = { run_id: 'r', call_id: 'f', response: { done: true } };
const answers = [
  ['the AI SDK', '/api/chat/a', { id: 's', messages: [{ id: 'r', role: 'assistant', parts: [tool] }] }],
  [
    'MCP',
    '/mcp/a',
    { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'a', arguments: { answer: given } } },
  ],
] as const;

async function send(path: string, body: object, signal?: AbortSignal): Promise<string> {
  const headers = {
    authorization: `Bearer ${await token({})}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'idempotency-key': randomUUID(),
  };
  const sent = await fetch(edge.url + path, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
    ...(signal && { signal }),
  });
  return sent.text();
}

test.each(answers)('an answer through %s to a run of one attempt reads no events', async (_, path, body) => {
  attempt = 1;
  await send(path, body);
  expect(readings).toEqual([]);
});

test.each(answers)('an earlier answer through %s is not looked for when the client has left', async (_, path, body) => {
  attempt = 2;
  const leaving = new AbortController();
  const sent = send(path, body, leaving.signal).catch(() => undefined);
  const ended = () => readings.map(({ aborted }) => aborted);
  await expect.poll(ended).toEqual([false]);
  leaving.abort();
  await sent;
  await expect.poll(ended, { timeout: 10_000 }).toEqual([true]);
});
