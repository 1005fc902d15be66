import { setImmediate as immediate } from 'node:timers/promises';
import { create } from '@bufbuild/protobuf';
import { type RunFrame, RunFrameSchema, type WatchRunResponse, WatchRunResponseSchema } from '@agentmesh/proto/runs/v1';
import { LedgerRunSchema, RunStatus } from '@agentmesh/proto/sessions/v1';
import { MeshError } from '@agentmesh/lib/rpc';
import { createLogger } from '@agentmesh/lib/telemetry';
import { Wake } from '@agentmesh/lib/wait';
import { expect, test } from 'vitest';
import { isBehind, type Place, parsePlace } from './place-id.ts';
import { RunChannels } from './run-channels.ts';
import { RunViewer } from './run-viewer.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const name = { accountId: 'a', invocationId: 'i', userId: '' };
const draining = new AbortController().signal;
const filler = 'x'.repeat(20_000);

/** A run as the service of runs shows it. It has only the partial events since the newest stored event, and the oldest of these only as a gap. */
class FakeRun {
  readonly stored: RunFrame[] = [];
  partials: RunFrame[] = [];
  isOver = false;
  calls = 0;
  open = 0;
  #breaks = 0;
  readonly #wakes = new Set<Wake>();

  store(): void {
    const seq = this.stored.length + 1;
    this.stored.push(frameOf(seq, 0));
    this.partials = [];
    this.#wake();
  }

  tell(): void {
    this.partials.push(frameOf(this.stored.length, this.partials.length + 1));
    this.#wake();
  }

  end(): void {
    this.isOver = true;
    this.#wake();
  }

  /** Breaks the calls under way. */
  break(): void {
    this.#breaks += 1;
    this.#wake();
  }

  async *watchRun(
    { afterSeq = 0, afterPartial = 0 }: { afterSeq?: number; afterPartial?: number },
    { signal }: { signal?: AbortSignal } = {},
  ): AsyncGenerator<WatchRunResponse> {
    const wake = new Wake();
    this.#wakes.add(wake);
    [this.calls, this.open] = [this.calls + 1, this.open + 1];
    let place: Place = { seq: afterSeq, partial: afterPartial };
    const breaks = this.#breaks;
    try {
      for (let isFirst = true; signal?.aborted !== true; isFirst = false) {
        if (this.#breaks > breaks) throw new MeshError('unavailable', 'service_unavailable', 'The process was killed.');
        const { isOver } = this;
        const frames = this.#behind(place);
        place = frames.at(-1) ?? place;
        const isLast = isOver && frames.length < mostFrames;
        if (isFirst || isLast || frames.length > 0) yield answerOf(frames, isLast);
        if (isLast) return;
        if (frames.length === 0) await wake.wait(signal && { signal });
        else await immediate();
      }
    } finally {
      this.open -= 1;
      this.#wakes.delete(wake);
    }
  }

  #behind(place: Place): RunFrame[] {
    const lost = this.partials.length - mostPartials;
    const kept = lost > 0 ? [gapOf(this.stored.length, lost), ...this.partials.slice(lost)] : this.partials;
    return [...this.stored, ...kept].filter((frame) => isBehind(frame, place)).slice(0, mostFrames);
  }

  #wake(): void {
    for (const wake of this.#wakes) wake.wake();
  }
}

const mostFrames = 7;
const mostPartials = 20;

function frameOf(seq: number, partial: number): RunFrame {
  return create(RunFrameSchema, { seq, partial, json: Buffer.from(JSON.stringify({ seq, partial, filler })) });
}

function gapOf(seq: number, partial: number): RunFrame {
  return create(RunFrameSchema, { seq, partial });
}

function answerOf(frames: RunFrame[], isOver: boolean): WatchRunResponse {
  const run = create(LedgerRunSchema, { status: RunStatus.COMPLETED, attempt: 1 });
  return create(WatchRunResponseSchema, { frames, isOver, ...(isOver && { run }) });
}

interface Seen {
  readonly event: string;
  readonly place: Place;
}

function seenIn(block: string): Seen {
  const [, event = 'message'] = /^event: (.*)$/m.exec(block) ?? [];
  return { event, place: parsePlace(/^id: (.*)$/m.exec(block)?.[1], []) };
}

/** A client whose socket takes some bytes, then no more for a while, and which is cut off anywhere. */
class FakeClient {
  readonly seen: Seen[] = [];
  cuts = 0;
  readonly #channels: RunChannels;
  readonly #random: () => number;

  constructor(channels: RunChannels, random: () => number) {
    this.#channels = channels;
    this.#random = random;
  }

  /** Reads until the end, over as many connections as it takes; `isSlow` stops longer in between. */
  async read(isSlow: boolean): Promise<void> {
    while (this.seen.at(-1)?.event !== 'end') {
      await this.#connect(isSlow);
      await immediate();
    }
  }

  async #connect(isSlow: boolean): Promise<void> {
    const from = this.seen.at(-1)?.place ?? { seq: 0, partial: 0 };
    const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
    let text = '';
    const feed = (bytes: Uint8Array): void => {
      const blocks = (text + Buffer.from(bytes).toString()).split('\n\n');
      text = blocks.pop() ?? '';
      this.seen.push(...blocks.map(seenIn));
    };
    let left = Math.floor(this.#random() ** 2 * 2_000_000);
    const push = (bytes: Uint8Array): boolean => {
      if (left > 0) feed(bytes.subarray(0, left));
      left -= bytes.length;
      if (left <= 0) {
        setImmediate(() => viewer.close());
        return true;
      }
      if (this.#random() > 0.3) return true;
      void this.#rest(isSlow).then(() => viewer.onDrain());
      return false;
    };
    const join = (place: Place) => this.#channels.rejoin(name, place);
    const viewer = new RunViewer({ from, join, onClosed });
    viewer.begin({ push, end: () => undefined }, await join(from));
    await closed;
    if (left <= 0) this.cuts += 1;
  }

  async #rest(isSlow: boolean): Promise<void> {
    const turns = this.#random() * (isSlow ? 200 : 5);
    for (let turn = 0; turn < turns; turn += 1) await immediate();
  }
}

function check(seen: readonly Seen[], stored: number): void {
  const whole = seen.filter(({ event, place }) => event === 'message' && place.partial === 0);
  expect(whole.map(({ place }) => place.seq)).toEqual(Array.from({ length: stored }, (_, index) => index + 1));
  expect(seen.filter(({ event }) => event === 'end')).toHaveLength(1);
  let before: Place = { seq: 0, partial: 0 };
  for (const { event, place } of seen.slice(0, -1)) {
    expect(isBehind(place, before)).toBe(true);
    const reached = before.seq === place.seq ? before.partial : 0;
    if (event === 'message' && place.partial > 0) expect(place.partial).toBe(reached + 1);
    before = place;
  }
}

test('viewers of any speed, wherever they are cut off and whatever breaks, get each event once, in order, and one end', async () => {
  const seed = Number(process.env.VERIFY_SEED ?? 1);
  const random = randomOf(seed);
  let cuts = 0;
  for (let round = 0; round < 10; round += 1) {
    const run = new FakeRun();
    const channels = new RunChannels({ runs: run, log, draining });
    const clients = Array.from({ length: 8 }, () => new FakeClient(channels, random));
    const reading = clients.map((client, index) => client.read(index % 2 === 0));
    for (let step = 0; step < 200; step += 1) {
      if (random() < 0.15) run.store();
      else run.tell();
      if (random() < 0.05) run.break();
      if (random() < 0.3) await immediate();
    }
    run.end();
    await Promise.all(reading);
    for (const { seen } of clients) check(seen, run.stored.length);
    cuts += clients.reduce((sum, client) => sum + client.cuts, 0);
    await expect.poll(() => run.open, { message: `seed ${seed}` }).toBe(0);
  }
  expect(cuts, `seed ${seed}`).toBeGreaterThan(50);
});

test('two hundred viewers share one call, also when they come one by one, and those that take nothing hold none', async () => {
  const run = new FakeRun();
  const channels = new RunChannels({ runs: run, log, draining });
  run.store();
  let sent = 0;
  let isFull = false;
  const events = {
    push: ({ length }: Uint8Array): boolean => {
      sent += length;
      return !isFull;
    },
    end: () => undefined,
  };
  const viewers: RunViewer[] = [];
  for (let number = 0; number < 200; number += 1) {
    const join = (place: Place) => channels.join(name, place);
    const viewer = new RunViewer({ from: beginning, join, onClosed: () => undefined });
    viewer.begin(events, await join(beginning));
    viewers.push(viewer);
  }
  run.tell();
  await expect.poll(() => sent).toBeGreaterThan(2 * 200 * filler.length);
  expect(run.calls).toBe(1);
  isFull = true;
  run.tell();
  await expect.poll(() => run.open).toBe(0);
  isFull = false;
  sent = 0;
  for (const viewer of viewers) viewer.onDrain();
  run.tell();
  await expect.poll(() => sent).toBeGreaterThan(200 * filler.length);
  expect(run.open).toBe(1);
  for (const viewer of viewers) viewer.close();
  await expect.poll(() => run.open).toBe(0);
});

const beginning: Place = { seq: 0, partial: 0 };

/** The generator of mulberry32. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}
