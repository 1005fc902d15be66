import { createLocalBus } from '@agentmesh/lib/bus/testing';
import type { Host } from '@agentmesh/lib/service';
import { startSpanWatching } from '@agentmesh/lib/spans';
import { createLogger } from '@agentmesh/lib/telemetry';
import { SessionKeySchema, type SessionsService, type Turn, TurnSchema } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import { context, trace } from '@opentelemetry/api';
import { expect, it } from 'vitest';
import type { runsSettings } from '../../config.ts';
import { shareSpans } from './share-spans.ts';
import { watchAttempts } from './watch-attempts.ts';

const app = { accountId: 'a', appName: 'shop' };
const session = create(SessionKeySchema, { ...app, userId: 'u', sessionId: 's' });
const turn = create(TurnSchema, { session, invocationId: 'e-1' });

it('the spans of an attempt reach every process, with the events that were made in them, also when it fails', async () => {
  await using resources = new AsyncDisposableStack();
  resources.use(startSpanWatching());
  const log = createLogger({ level: 'silent', name: 'test' });
  const host = { bus: createLocalBus(), log, resources } as unknown as Host<typeof runsSettings>;
  const [one, other] = [await shareSpans(host), await shareSpans(host)];
  const watched = watchAttempts(1, { traces: [one.add] }, log);
  const stored: unknown[] = [];
  const sessions = watched.noticing({
    appendEvents: async (request: unknown) => void stored.push(request),
  } as unknown as Client<typeof SessionsService>);

  const attempt = watched.around(turn, async () => {
    const span = trace.getTracer('adk').startSpan('call_llm', { attributes: { 'gen_ai.agent.name': 'clerk' } });
    const event = { id: 'ev-1', author: 'clerk', timestamp: Date.now() / 1000, json: Buffer.from('{}') };
    await context.with(trace.setSpan(context.active(), span), () => sessions.appendEvents({ events: [event] }));
    span.setAttribute('long', 'x'.repeat(100_000)).end();
    throw new Error('the attempt failed');
  });
  await expect(attempt).rejects.toThrow('the attempt failed');

  expect(stored).toHaveLength(1);
  for (const { log: spans } of [one, other]) {
    const read = spans.ofSession(app, 's').map((json) => JSON.parse(Buffer.from(json).toString()) as Span);
    expect(read.map(({ name }) => name)).toEqual(['call_llm', 'invocation']);
    expect(read[0]?.parent_span_id).toBe(read[1]?.span_id);
    expect(read[0]?.attributes).toMatchObject({ 'gcp.vertex.agent.event_id': 'ev-1' });
    expect(JSON.stringify(read).length).toBeLessThan(3_000);
    expect(spans.ofEvent(app, 'ev-1')).toHaveLength(1);
  }
});

it('a receiver of spans that fails changes no ending, and keeps them from no other receiver', async () => {
  using _ = startSpanWatching();
  const lines: string[] = [];
  const log = createLogger({ level: 'warn', name: 'test', destination: { write: (line) => void lines.push(line) } });
  const taken: string[] = [];
  const fail = () => {
    throw new TypeError('Do not know how to serialize a BigInt');
  };
  const traces = [fail, ({ invocationId }: Turn) => taken.push(invocationId)];
  const watched = watchAttempts(1, { traces }, log);
  expect(await watched.around(turn, () => Promise.resolve('ended'))).toBe('ended');
  await expect(watched.around(turn, () => Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  expect(taken).toEqual(['e-1', 'e-1']);
  expect(lines.map((line) => JSON.parse(line) as object)).toMatchObject(
    Array(2).fill({ msg: 'the spans of an attempt were dropped', invocationId: 'e-1', err: { type: 'TypeError' } }),
  );
});

interface Span {
  readonly name: string;
  readonly span_id: string;
  readonly parent_span_id?: string;
  readonly attributes: object;
}
