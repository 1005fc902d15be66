import { createLocalBus } from '@agentmesh/lib/bus/testing';
import { createLogger } from '@agentmesh/lib/telemetry';
import { type JsonObject, toWireEvent, type WireEvent } from '@agentmesh/proto/event';
import { RunProgressedSchema, RunsWatchedSchema } from '@agentmesh/proto/runs/v1/live';
import { type SessionKey, SessionKeySchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { LiveRuns } from './live-runs.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const session = create(SessionKeySchema, { accountId: 'a', appName: 'app', userId: 'u', sessionId: 's' });
const run = { session, invocationId: 'i' };
const turn = { ...run, lastSeq: 4, attempt: 1, isTakeover: false };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function partialOf(text: string): WireEvent {
  const actions = { stateDelta: {}, artifactDelta: {}, requestedAuthConfigs: {}, requestedToolConfirmations: {} };
  const content = { role: 'model', parts: [{ text } satisfies JsonObject] };
  return toWireEvent({ id: text, author: 'x', invocationId: 'i', timestamp: 1, partial: true, content, actions });
}

/** Two processes on one bus, and what went over it. */
async function twoProcesses() {
  const bus = createLocalBus();
  const sent: number[] = [];
  const [executor, other] = [new LiveRuns({ owner: 'one', bus, log }), new LiveRuns({ owner: 'two', bus, log })];
  for (const live of [executor, other]) {
    await bus.subscribe(RunsWatchedSchema, (hint) => live.onWatched(hint));
    await bus.subscribe(RunProgressedSchema, (hint) => live.onProgressed(hint));
  }
  await bus.subscribe(RunProgressedSchema, ({ partials }) => void sent.push(partials.length));
  return { executor, other, sent, bus };
}

/** The news of a viewer as texts: `stored:<seq>`, or `<seq>.<number>:<text>` for a partial event. */
function view(live: LiveRuns, of: { session: SessionKey; invocationId: string } = run) {
  const seen: string[] = [];
  const leave = live.watch(of, ({ lastSeq, firstPartial, partials }) => {
    if (partials.length === 0) seen.push(`stored:${lastSeq}`);
    for (const [place, { id }] of partials.entries()) seen.push(`${lastSeq}.${firstPartial + place}:${id}`);
  });
  return { seen, leave };
}

const settle = () => vi.advanceTimersByTimeAsync(100);

test('a viewer in another process gets the partial events and the news of stored ones, in order and numbered', async () => {
  const { executor, other, sent } = await twoProcesses();
  const attempt = executor.attempt(turn);
  const { seen } = view(other);
  await settle();
  for (const text of ['a', 'b', 'c', 'd']) attempt.partial(() => partialOf(text));
  attempt.stored(5);
  attempt.partial(() => partialOf('e'));
  await settle();
  expect(seen).toEqual(['stored:4', '4.1:a', '4.2:b', '4.3:c', '4.4:d', '5.1:e']);
  expect(sent.length).toBeLessThan(5);
});

test('a viewer in the process that executes the run needs no bus', async () => {
  const { executor, sent } = await twoProcesses();
  const { seen } = view(executor);
  const attempt = executor.attempt(turn);
  attempt.partial(() => partialOf('a'));
  const late = view(executor);
  attempt.stored(5);
  expect(seen).toEqual(['4.1:a', 'stored:5']);
  expect(late.seen).toEqual(seen);
  await settle();
  expect(sent).toEqual([]);
});

test('a viewer that comes in the middle of a message gets its partial events from the first one, and earlier viewers none twice', async () => {
  const { executor, other } = await twoProcesses();
  const attempt = executor.attempt(turn);
  for (const text of ['a', 'b']) attempt.partial(() => partialOf(text));
  const first = view(other);
  await settle();
  attempt.partial(() => partialOf('c'));
  const second = view(other);
  attempt.partial(() => partialOf('d'));
  await settle();
  expect(first.seen).toEqual(['4.1:a', '4.2:b', '4.3:c', '4.4:d']);
  expect(second.seen).toEqual(first.seen);
});

test('a viewer gets all partial events also when others watch the run elsewhere, and when a hint is lost', async () => {
  const { executor, other, bus } = await twoProcesses();
  view(other);
  const attempt = executor.attempt(turn);
  await settle();
  const third = new LiveRuns({ owner: 'three', bus, log });
  let loses = false;
  await bus.subscribe(RunProgressedSchema, (hint) => void (loses || third.onProgressed(hint)));
  attempt.partial(() => partialOf('a'));
  await settle();
  const { seen } = view(third);
  attempt.partial(() => partialOf('b'));
  await settle();
  expect(seen).toEqual(['stored:4', '4.1:a', '4.2:b']);
  await vi.advanceTimersByTimeAsync(5_000);
  loses = true;
  attempt.partial(() => partialOf('c'));
  await settle();
  loses = false;
  attempt.partial(() => partialOf('d'));
  await settle();
  expect(seen).toEqual(['stored:4', '4.1:a', '4.2:b', '4.3:c', '4.4:d']);
});

test('more partial events than are kept leave a gap, which their numbers show', () => {
  const executor = new LiveRuns({ owner: 'one', bus: createLocalBus(), log });
  const attempt = executor.attempt(turn);
  for (let at = 1; at <= 600; at += 1) attempt.partial(() => partialOf(String(at)));
  const { seen } = view(executor);
  vi.advanceTimersByTime(600);
  attempt.partial(() => partialOf('next'));
  expect([seen.length, seen.at(-2), seen.at(-1)]).toEqual([501, '4.500:500', '4.601:next']);
});

test('the words of an executor that died are told apart from those of the one that takes the run over', async () => {
  const { executor, other } = await twoProcesses();
  const { seen } = view(other);
  await settle();
  const dead = executor.attempt(turn);
  for (const text of ['a', 'b']) dead.partial(() => partialOf(text));
  await settle();
  const next = other.attempt({ ...turn, attempt: 2, isTakeover: true });
  for (const text of ['c', 'd', 'e']) next.partial(() => partialOf(text));
  dead.partial(() => partialOf('late'));
  await settle();
  expect(seen).toEqual(['4.1:a', '4.2:b', '4.1000001:c', '4.1000002:d', '4.1000003:e']);
  expect(view(other).seen).toEqual(seen.slice(2));
  next.stored(5);
  next.partial(() => partialOf('f'));
  expect(seen.slice(5)).toEqual(['stored:5', '5.1:f']);
});

test('a run that nobody watches makes no message and sends no hint, also while others are watched', async () => {
  const { executor, other, sent } = await twoProcesses();
  view(other, { ...run, invocationId: 'another' });
  await settle();
  const attempt = executor.attempt(turn);
  attempt.partial(() => {
    throw new Error('made for nobody');
  });
  attempt.stored(5);
  await settle();
  expect(sent).toEqual([]);
});

test('a viewer is remembered while it watches, and forgotten after it has left', async () => {
  const { executor, other, sent } = await twoProcesses();
  const { seen, leave } = view(other);
  await vi.advanceTimersByTimeAsync(60_000);
  const attempt = executor.attempt(turn);
  attempt.partial(() => partialOf('a'));
  await settle();
  expect(seen).toEqual(['4.1:a']);
  leave();
  await vi.advanceTimersByTimeAsync(20_000);
  attempt.partial(() => partialOf('b'));
  await settle();
  expect(seen).toEqual(['4.1:a']);
  expect(sent).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});

test('one viewer that leaves does not end the others', async () => {
  const { executor, other } = await twoProcesses();
  const [first, second] = [view(other), view(other)];
  first.leave();
  first.leave();
  await settle();
  executor.attempt(turn).partial(() => partialOf('a'));
  await settle();
  expect([first.seen, second.seen]).toEqual([[], ['4.1:a']]);
});

test('a bus that does not answer loses partial events and holds no more than a few megabytes', async () => {
  let published = 0;
  const bus = {
    publish: () => {
      published += 1;
      return new Promise<void>(() => undefined);
    },
  };
  const executor = new LiveRuns({ owner: 'one', bus, log });
  executor.onWatched({ owner: 'two', runs: [{ ...run, isNew: false }] } as never);
  const attempt = executor.attempt(turn);
  for (let at = 0; at < 1_000; at += 1) attempt.partial(() => partialOf('x'.repeat(50_000)));
  await settle();
  expect(published).toBe(1);
});
