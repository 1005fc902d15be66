import { AgentMesh } from '@agentmesh/client';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';

const minuteMs = 60_000;
const end = 'event: end\nid: 1-end1\ndata: {"invocationId":"e-1","status":"completed"}\n\n';
/** Writers of the streams that were opened, in order. */
let opened: ReadableStreamDefaultController<Uint8Array>[];
let isAway: boolean;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  [opened, isAway] = [[], false];
});
afterEach(() => void vi.useRealTimers());

/** The network of a client: streams that the test writes and breaks. */
const network = (): Promise<Response> => {
  if (isAway) {
    vi.setSystemTime(Date.now() + minuteMs);
    return Promise.reject(new TypeError('away'));
  }
  const body = new ReadableStream<Uint8Array>({ start: (controller) => void opened.push(controller) });
  return Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } }));
};

function watch(): Promise<unknown> {
  const mesh = new AgentMesh({ url: 'http://mesh', token: 't', backoffMs: 1, tries: 1, fetch: network });
  return mesh.runs.watch('e-1').final();
}

async function stream(index: number): Promise<ReadableStreamDefaultController<Uint8Array>> {
  await vi.waitFor(() => expect(opened.length).toBeGreaterThan(index));
  return opened[index] as ReadableStreamDefaultController<Uint8Array>;
}

const said = (text: string): Uint8Array => new TextEncoder().encode(text);
const pass = (minutes: number): void => void vi.setSystemTime(Date.now() + minutes * minuteMs);

test('a stream that breaks after a long quiet goes on', async () => {
  const run = watch();
  const first = await stream(0);
  pass(6);
  first.error(new TypeError('cut'));
  const second = await stream(1);
  second.enqueue(said(': ping\n\n'));
  await vi.waitFor(() => expect(second.desiredSize).toBe(1));
  pass(6);
  second.error(new TypeError('cut'));
  (await stream(2)).enqueue(said(end));
  expect(await run).toMatchObject({ record: { status: 'completed' } });
});

test('a stream that cannot be opened again for five minutes fails', async () => {
  const run = watch().catch((error: unknown) => error);
  const first = await stream(0);
  const startedMs = Date.now();
  isAway = true;
  first.error(new TypeError('cut'));
  expect(await run).toMatchObject({ code: 'connection_failed' });
  expect(Date.now() - startedMs).toBe(5 * minuteMs);
});
