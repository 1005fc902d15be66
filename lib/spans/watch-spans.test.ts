import { context, createContextKey, trace } from '@opentelemetry/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { setImmediate as turn } from 'node:timers/promises';
import { type EndedSpan, spanWatcher, startSpanWatching, watchSpan, watchSpans, withinSpan } from './index.ts';

let watching: Disposable;
beforeAll(() => {
  watching = startSpanWatching();
});
afterAll(() => watching[Symbol.dispose]());

/** A span with a span inside it, each over some turns of the event loop. */
function work(name: string): Promise<void> {
  return withinSpan({ name, attributes: { of: name } }, async () => {
    await turn();
    await withinSpan({ name: `${name}.inner`, attributes: {} }, () => turn());
  });
}

test('spans of parallel work are in the spans around them, and all in one trace', async () => {
  const ended = new Map<string, EndedSpan>();
  await watchSpans(
    (span) => ended.set(span.name, span),
    () => withinSpan({ name: 'all', attributes: {} }, () => Promise.all([work('a'), work('b')])),
  );
  const parentOf = (name: string) => {
    const id = ended.get(name)?.parentSpanId;
    return [...ended.values()].find(({ spanId }) => spanId === id)?.name;
  };
  expect(['all', 'a', 'b', 'a.inner', 'b.inner'].map(parentOf)).toEqual([undefined, 'all', 'all', 'a', 'b']);
  const spans = [...ended.values()];
  expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(5);
  expect(new Set(spans.map(({ traceId }) => traceId)).size).toBe(1);
  expect(spans.every(({ startTime, endTime }) => startTime <= endTime)).toBe(true);
});

test('work finds its own watcher and no other', async () => {
  const watchers = [{ add: () => undefined }, { add: () => undefined }];
  const span = { name: 'x', attributes: {} };
  const found = await Promise.all(
    watchers.map((watcher) =>
      watchSpan(watcher, span, async () => {
        await turn();
        return spanWatcher();
      }),
    ),
  );
  expect(found.map((one) => watchers.indexOf(one as (typeof watchers)[number]))).toEqual([0, 1]);
  expect(spanWatcher()).toBeUndefined();
});

test('a context keeps what was set before, unless it is set anew or deleted', async () => {
  const [one, other] = [createContextKey('one'), createContextKey('other')];
  await watchSpan({ add: () => undefined }, { name: 'x', attributes: {} }, async () => {
    const first = context.active().setValue(one, 1);
    const second = first.setValue(other, 2).setValue(one, 3);
    expect([second.getValue(one), second.getValue(other)]).toEqual([3, 2]);
    expect(second.deleteValue(one).getValue(one)).toBeUndefined();
    expect([first.getValue(one), first.getValue(other)]).toEqual([1, undefined]);
    expect(trace.getSpan(second)).toBe(trace.getActiveSpan());
  });
});
