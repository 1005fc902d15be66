import { SpanEndedSchema } from '@agentmesh/proto/runs/v1';
import { create, type MessageInitShape } from '@bufbuild/protobuf';
import { describe, expect, it } from 'vitest';
import { createSpanLog } from './span-log.ts';

const app = { accountId: 'a', appName: 'shop' };
type Over = Pick<Extract<MessageInitShape<typeof SpanEndedSchema>, { $typeName?: never }>, 'sessionId' | 'eventId'>;
const span = (spanId: string, over: Over = {}) =>
  create(SpanEndedSchema, { ...app, sessionId: 's', spanId, json: Buffer.from(spanId), ...over });
const names = (spans: Uint8Array[]) => spans.map((json) => Buffer.from(json).toString());

describe('a log of spans', () => {
  it('shows a session only to its account, in its app', () => {
    const log = createSpanLog({ sessions: 10, spansOfSession: 10 });
    log.add(span('1', { eventId: 'e' }));
    expect(names(log.ofSession(app, 's'))).toEqual(['1']);
    expect(names(log.ofEvent(app, 'e'))).toEqual(['1']);
    for (const other of [
      { ...app, accountId: 'b' },
      { ...app, appName: 'b' },
    ]) {
      expect(log.ofSession(other, 's')).toEqual([]);
      expect(log.ofEvent(other, 'e')).toEqual([]);
    }
    expect(log.ofSession({ accountId: 'a","shop', appName: 's' }, '')).toEqual([]);
  });

  it('forgets an account whole, and no other', () => {
    const log = createSpanLog({ sessions: 10, spansOfSession: 10 });
    log.add(span('1'));
    log.add(create(SpanEndedSchema, { ...app, accountId: 'ab', sessionId: 's', spanId: '2', json: Buffer.from('2') }));
    log.forget('a');
    expect(names(log.ofSession(app, 's'))).toEqual([]);
    expect(names(log.ofSession({ ...app, accountId: 'ab' }, 's'))).toEqual(['2']);
  });

  it('stores a span once, however often it is added', () => {
    const log = createSpanLog({ sessions: 10, spansOfSession: 10 });
    for (const id of ['1', '2', '1']) log.add(span(id));
    expect(names(log.ofSession(app, 's'))).toEqual(['1', '2']);
  });

  it('forgets the oldest spans of a session, and the session without new spans for the longest time', () => {
    const log = createSpanLog({ sessions: 2, spansOfSession: 2 });
    for (const id of ['1', '2', '3']) log.add(span(id));
    log.add(span('4', { sessionId: 't' }));
    log.add(span('5'));
    log.add(span('6', { sessionId: 'u' }));
    expect(names(log.ofSession(app, 's'))).toEqual(['3', '5']);
    expect(log.ofSession(app, 't')).toEqual([]);
    expect(names(log.ofSession(app, 'u'))).toEqual(['6']);
  });
});
