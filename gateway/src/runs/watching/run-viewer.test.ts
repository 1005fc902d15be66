import { create } from '@bufbuild/protobuf';
import { MeshError } from '@agentmesh/lib/rpc';
import { createLogger } from '@agentmesh/lib/telemetry';
import { RunFrameSchema, type WatchRunResponse, WatchRunResponseSchema } from '@agentmesh/proto/runs/v1';
import { LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { expect, test, vi } from 'vitest';
import type { Place } from './place-id.ts';
import { type RunChannelsOptions, RunChannels } from './run-channels.ts';
import { RunViewer } from './run-viewer.ts';
import { mostRoomBytes } from './run-window.ts';

type Watch = RunChannelsOptions['runs']['watchRun'];

const log = createLogger({ level: 'silent', name: 'test' });
const draining = new AbortController().signal;
const json = Buffer.from(JSON.stringify('x'.repeat(200_000)));

/** Events of a run behind a place, of `stored` in all. */
function framesBehind(afterSeq: number, stored: number) {
  return Array.from({ length: stored - afterSeq }, (_, n) => create(RunFrameSchema, { seq: afterSeq + n + 1, json }));
}

function answerOf(frames: WatchRunResponse['frames'], isOver: boolean): WatchRunResponse {
  const run = create(LedgerRunSchema, { status: RunStatus.CANCELLED, attempt: 1 });
  return create(WatchRunResponseSchema, { frames, isOver, ...(isOver && { run }) });
}

/** A client that takes everything at once, unless `isTaking` says that it does not. */
async function view(channels: RunChannels, from: Place, invocationId = 'e-1', isTaking = () => true) {
  let text = '';
  const closed = Promise.withResolvers<void>();
  const events = {
    push: (bytes: Uint8Array) => {
      text += Buffer.from(bytes).toString().replaceAll('x', '');
      return isTaking();
    },
    end: () => undefined,
  };
  const join = (place: Place) => channels.join({ accountId: 'a', userId: '', invocationId }, place);
  const viewer = new RunViewer({ from, join, onClosed: closed.resolve });
  viewer.begin(events, await join(from));
  return { viewer, closed: closed.promise, textOf: () => text, idsOf: () => text.match(/(?<=^id: ).*$/gm) ?? [] };
}

test.each([
  ['earlier than what the run has stored since', { seq: 1, partial: 0, endOf: 1 }, ['2', '3', '3-end1']],
  ['of a run that is over in the same attempt', { seq: 3, partial: 0, endOf: 1 }, ['3-end1']],
])('an end that the client names as seen, %s, comes once more and is the last', async (_, from, ids) => {
  let calls = 0;
  const watchRun: Watch = async function* ({ afterSeq = 0 }) {
    calls += 1;
    yield answerOf(framesBehind(afterSeq, 3), true);
  };
  const { closed, idsOf } = await view(new RunChannels({ runs: { watchRun }, log, draining }), from);
  await closed;
  expect(idsOf()).toEqual(ids);
  expect(calls).toBe(2);
});

test('a viewer whose calls answer nothing and break is left to connect again, and not served by a loop', async () => {
  let calls = 0;
  const watchRun: Watch = async function* () {
    calls += 1;
    yield answerOf([], false);
    throw new MeshError('unavailable', 'service_unavailable', 'The process was killed.');
  };
  const { closed } = await view(new RunChannels({ runs: { watchRun }, log, draining }), { seq: 0, partial: 0 });
  await closed;
  expect(calls).toBeLessThan(30);
});

test('the windows of many runs together keep no more than their room, each viewer gets all, and nothing is kept at the end', async () => {
  const watchRun: Watch = async function* ({ afterSeq = 0 }, options) {
    for (const frame of framesBehind(afterSeq, 5)) yield answerOf([frame], false);
    await new Promise((resolve) => options?.signal?.addEventListener('abort', resolve));
  };
  const channels = new RunChannels({ runs: { watchRun }, log, draining });
  const names = Array.from({ length: 80 }, (_, n) => `e-${n}`);
  const views = await Promise.all(names.map((name) => view(channels, { seq: 0, partial: 0 }, name)));
  const all = ['1', '2', '3', '4', '5'];
  await expect.poll(() => views.every(({ idsOf }) => idsOf().length === all.length)).toBe(true);
  for (const { idsOf } of views) expect(idsOf()).toEqual(all);
  expect(channels.room.bytes).toBeLessThanOrEqual(mostRoomBytes);
  expect(channels.room.bytes).toBeGreaterThan(mostRoomBytes / 2);
  for (const { viewer } of views) viewer.close();
  expect(channels.room.bytes).toBe(0);
});

test('a viewer of a run that is over gets all of it also when the room of the windows is full', async () => {
  const watchRun: Watch = async function* ({ afterSeq = 0 }) {
    yield answerOf(framesBehind(afterSeq, 2), true);
  };
  const channels = new RunChannels({ runs: { watchRun }, log, draining });
  channels.room.bytes = mostRoomBytes + 1;
  const { closed, idsOf } = await view(channels, { seq: 0, partial: 0 });
  await closed;
  expect(idsOf()).toEqual(['1', '2', '2-end1']);
});

test('a client that reads on shortly after its channel broke gets what comes later', async () => {
  const [broken, later] = [Promise.withResolvers<never>(), Promise.withResolvers<void>()];
  let calls = 0;
  const watchRun: Watch = async function* ({ afterSeq = 0 }) {
    calls += 1;
    if (calls === 1) {
      yield answerOf(framesBehind(afterSeq, 1), false);
      await broken.promise;
    }
    yield create(WatchRunResponseSchema, { run: { status: RunStatus.RUNNING, attempt: 1, waitingOn: 'answer' } });
    await later.promise;
    yield answerOf(framesBehind(afterSeq, 2), true);
  };
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const channels = new RunChannels({ runs: { watchRun }, log, draining });
    let isTaking = false;
    const { viewer, closed, idsOf, textOf } = await view(channels, { seq: 0, partial: 0 }, 'e-1', () => isTaking);
    await vi.waitFor(() => expect(idsOf()).toEqual(['1']), { interval: 1 });
    await vi.advanceTimersByTimeAsync(100);
    broken.reject(new MeshError('unavailable', 'service_unavailable', 'The process was killed.'));
    await vi.waitFor(() => expect(textOf()).toContain(': waiting for answer'), { interval: 1 });
    isTaking = true;
    viewer.onDrain();
    await vi.advanceTimersByTimeAsync(1_000);
    later.resolve();
    await vi.advanceTimersByTimeAsync(1_000);
    await closed;
    expect(idsOf()).toEqual(['1', '2', '2-end1']);
  } finally {
    vi.useRealTimers();
  }
}, 5_000);
