import { createEvent, type Event } from '@google/adk/core';
import { type EventJson, toWireEvent } from '@agentmesh/proto/event';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fromPublicEvent, toPublicEvent } from './event-json.ts';

const run = { invocationId: 'e-1' };

function publicOf(event: Partial<Event>, facts: Parameters<typeof toPublicEvent>[1] = run): EventJson {
  const wire = toWireEvent(toPublicEvent(createEvent({ author: 'helper', ...event }), facts));
  return JSON.parse(new TextDecoder().decode(wire.json)) as EventJson;
}

const freeForm = fc.dictionary(fc.string(), fc.jsonValue());
const bytes = fc.uint8Array({ maxLength: 40 }).map((array) => Buffer.from(array).toString('base64'));
const part = fc.oneof(
  fc.record({ text: fc.string() }),
  fc.record({
    text: fc.constant(null),
    thoughtSignature: bytes,
    inlineData: fc.record({ data: bytes, mimeType: fc.string() }),
  }),
  fc.record({ functionCall: fc.record({ id: fc.uuid(), name: fc.string(), args: freeForm }) }),
  fc.record({ functionResponse: fc.record({ id: fc.uuid(), name: fc.string(), response: freeForm }) }),
);
const adkEvent = fc
  .record({
    id: fc.uuid(),
    timestamp: fc.integer({ min: 1, max: 4e12 }),
    content: fc.record({ role: fc.constantFrom('user', 'model'), parts: fc.array(part, { maxLength: 4 }) }),
    partial: fc.constantFrom(true, false, undefined, null),
    errorCode: fc.constantFrom(undefined, null, 'X'),
    usageMetadata: fc.constantFrom(undefined, { promptTokenCount: 1, cachedContentTokenCount: null }),
    customMetadata: fc.option(freeForm, { nil: undefined }),
    actions: fc.record({ stateDelta: freeForm, artifactDelta: fc.dictionary(fc.string(), fc.nat()) }),
  })
  .map((fields) => createEvent({ author: 'helper', ...(fields as object) }));

const maps = new Set(['args', 'response', 'customMetadata', 'stateDelta', 'artifactDelta']);

function hasNullField(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return value === null;
  if (Array.isArray(value)) return value.some(hasNullField);
  return Object.entries(value).some(([key, field]) => !maps.has(key) && hasNullField(field));
}

describe('the public form of an event', () => {
  test('any event: no null model fields, four action maps, seconds, free-form maps untouched', () => {
    fc.assert(
      fc.property(adkEvent, (event) => {
        const json = publicOf(event);
        expect(hasNullField(json)).toBe(false);
        expect(json).toMatchObject({
          id: event.id,
          author: 'helper',
          invocationId: 'e-1',
          timestamp: event.timestamp / 1000,
        });
        const { stateDelta, ...actions } = json.actions;
        expect(actions).toMatchObject({ requestedAuthConfigs: {}, requestedToolConfirmations: {} });
        const kept = Object.entries(event.actions.stateDelta).filter(([key]) => !key.startsWith('temp:'));
        expect(Object.entries(stateDelta)).toEqual(JSON.parse(JSON.stringify(kept)));
        expect(json.nodeInfo).toEqual({ path: 'helper@1' });
      }),
    );
  });

  test('any event is unchanged after it was stored and read', () => {
    fc.assert(
      fc.property(adkEvent, (event) => {
        const first = publicOf(event);
        const again = publicOf(fromPublicEvent(new TextEncoder().encode(JSON.stringify(first))));
        expect(again).toEqual(first);
      }),
    );
  });

  test('bytes of either alphabet become URL-safe base64 with padding', () => {
    const parts = ['+/+/aQ==', '-_-_aQ'].map((data) => ({
      inlineData: { data, mimeType: 'a/b' },
      thoughtSignature: data,
    }));
    const { content } = publicOf({ content: { role: 'model', parts } });
    for (const one of content?.parts ?? []) {
      expect(one).toEqual({ inlineData: { data: '-_-_aQ==', mimeType: 'a/b' }, thoughtSignature: '-_-_aQ==' });
    }
  });

  test('agents get standard base64', () => {
    const json = publicOf({ content: { role: 'user', parts: [{ inlineData: { data: '-_-_', mimeType: 'a/b' } }] } });
    const event = fromPublicEvent(new TextEncoder().encode(JSON.stringify(json)));
    expect(event.content?.parts?.[0]?.inlineData?.data).toBe('+/+/');
    expect(event.timestamp).toBeCloseTo(json.timestamp * 1000);
  });

  test('a key named data in the arguments of a call is not converted as bytes', () => {
    const call = { functionCall: { name: 'f', args: { inlineData: { data: 'a+b' }, nothing: null } } };
    expect(publicOf({ content: { role: 'model', parts: [call] } }).content?.parts).toEqual([call]);
  });

  test('temporary state is not part of the public form', () => {
    expect(publicOf({ actions: { stateDelta: { 'temp:a': 1, b: null } } as never }).actions.stateDelta).toEqual({
      b: null,
    });
  });

  test('metadata of the run is on the event, whose own keys have priority', () => {
    const { customMetadata } = publicOf({ customMetadata: { a: 1 } }, { ...run, customMetadata: { a: 0, b: 2 } });
    expect(customMetadata).toEqual({ a: 1, b: 2 });
  });

  test('only events with calls name their long-running ones', () => {
    const parts = [{ functionCall: { name: 'f', id: '1' } }];
    expect(publicOf({ content: { role: 'model', parts } }).longRunningToolIds).toEqual([]);
    expect(publicOf({ content: { role: 'model', parts: [{ text: 'x' }] } })).not.toHaveProperty('longRunningToolIds');
  });

  test('the key __proto__ is a key like any other', () => {
    const stateDelta = JSON.parse('{"__proto__":{"x":1},"temp:y":1}') as Record<string, unknown>;
    const event = toPublicEvent(createEvent({ actions: { stateDelta } }), run);
    expect(JSON.stringify(event.actions.stateDelta)).toBe('{"__proto__":{"x":1}}');
  });
});
