import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { MeshError } from '@agentmesh/lib/rpc';
import type { RunRequest, RunResponse, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import type { MessageInitShape } from '@bufbuild/protobuf';
import { expect, it } from 'vitest';
import { type Edge, startEdge, token } from '../edge.ts';

type Step = MessageInitShape<typeof RunResponseSchema>;

const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
const accepted: Step = { kind: { case: 'accepted', value: { invocationId: 'e-1' } } };
const event = (json: object, extra: object = {}): Step => ({
  kind: { case: 'event', value: { id: randomUUID(), json: bytes(json), ...extra } },
});
const body = { appName: 'a', userId: 'u', sessionId: 's', newMessage: { parts: [{ text: 'hi' }] } };

type Run = (request: RunRequest, signal: AbortSignal) => AsyncGenerator<Step>;

function edgeOf(run: Run): Promise<Edge> {
  return startEdge({ runs: { run: (request, { signal }) => run(request, signal) as AsyncGenerator<RunResponse> } });
}

/** Asks for a stream, which can be read in pieces. */
async function watch(edge: Edge, path: string): Promise<Response> {
  const headers = { authorization: `Bearer ${await token({})}`, 'content-type': 'application/json' };
  return fetch(new URL(path, edge.url), { method: 'POST', headers, body: JSON.stringify(body) });
}

it('a stream that is open at the end of the drain tells where its run goes on', async () => {
  await using edge = await edgeOf(async function* (_request, signal) {
    yield* [accepted, event({ n: 1 })];
    await once(signal, 'abort');
  });
  const reading = (await watch(edge, '/run_sse')).body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reading?.read())?.value).toContain('"n":1');
  void edge.drain(1_000);
  expect((await reading?.read())?.value).toContain('follow it at /runs/e-1/events.');
  expect((await reading?.read())?.done).toBe(true);
});

it('goes on with another replica when one stops, as soon as one takes it', async () => {
  const place = { invocationId: 'e-1', afterSeq: 7, cancels: false };
  let asked = 0;
  await using edge = await edgeOf(async function* ({ continues }) {
    asked += 1;
    if (asked === 1) yield* [accepted, event({ n: 1 }), { kind: { case: 'moved', value: place } }];
    else if (asked === 2) throw new MeshError('unavailable', 'runs_draining', 'The service is shutting down.');
    else yield* [accepted, event({ after: continues?.afterSeq })];
  });
  expect((await edge.send('/run', { json: body })).text).toBe('[{"n":1},{"after":7}]');
});
