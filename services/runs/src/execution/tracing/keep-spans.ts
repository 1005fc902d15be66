import { AsyncLocalStorage } from 'node:async_hooks';
import type { Host } from '@agentmesh/lib/service';
import { type EndedSpan, watchSpans } from '@agentmesh/lib/telemetry';
import { type SpanEnded, SpanEndedSchema } from '@agentmesh/proto/runs/v1';
import type { SessionKey, SessionsService, Turn } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { Client } from '@connectrpc/connect';
import type { Ending } from '../attempt/execution-deps.ts';
import { AttemptTrace } from './attempt-trace.ts';
import { createSpanLog, type SpanLog } from './span-log.ts';

const limits = { sessions: 300, spansOfSession: 400 };
/** Largest JSON of a span, in bytes: the limit of the bus without the ids. */
const largestJson = 3_500;

/** The log of spans, and the wrappers that fill it. */
export interface KeptSpans {
  readonly log: SpanLog;
  readonly around: (turn: Turn, attempt: () => Promise<Ending>) => Promise<Ending>;
  /** A client that notices the events of attempts. */
  readonly noticing: (sessions: Client<typeof SessionsService>) => Client<typeof SessionsService>;
}

/**
 * Records the spans of attempts when they have ended, and shares them with the other processes of this service, so that any of
 * them can be asked. A span that the bus loses is known to its own process only.
 */
export async function keepSpans({
  bus,
  log: logger,
  resources,
}: Pick<Host, 'bus' | 'log' | 'resources'>): Promise<KeptSpans> {
  const log = createSpanLog(limits);
  const current = new AsyncLocalStorage<AttemptTrace>();
  resources.defer(await bus.subscribe(SpanEndedSchema, (span) => log.add(span)));

  const record = (span: SpanEnded): void => {
    log.add(span);
    bus.publish(SpanEndedSchema, span).catch((err: unknown) => {
      logger.debug({ err }, 'a span was not shared');
    });
  };
  const around: KeptSpans['around'] = (turn, attempt) => {
    const { session, invocationId } = turn;
    if (session === undefined) return attempt();
    const trace = new AttemptTrace();
    const attributes = { 'gcp.vertex.agent.invocation_id': invocationId, 'gen_ai.conversation.id': session.sessionId };
    const invocation = { name: 'invocation', attributes, watcher: (span: EndedSpan) => trace.add(span) };
    return watchSpans(invocation, () => current.run(trace, attempt)).finally(() => {
      for (const span of trace.spans()) record(toMessage(session, span));
    });
  };
  const noticing: KeptSpans['noticing'] = (sessions) => ({
    ...sessions,
    appendEvents: (request, options) => {
      current.getStore()?.note((request.events ?? []) as Parameters<AttemptTrace['note']>[0]);
      return sessions.appendEvents(request, options);
    },
  });
  return { log, around, noticing };
}

type RecordedSpan = ReturnType<AttemptTrace['spans']>[number];

function toMessage({ accountId, appName, sessionId }: SessionKey, span: RecordedSpan): SpanEnded {
  const { spanId, eventId } = span;
  return create(SpanEndedSchema, { accountId, appName, sessionId, spanId, eventId, json: print(span) });
}

/** A span as the web UI reads it, without its attributes where it would be too large for the bus. */
function print({
  name,
  startTime,
  endTime,
  traceId,
  spanId,
  parentSpanId,
  ...span
}: RecordedSpan): Uint8Array<ArrayBuffer> {
  const plain = {
    name,
    start_time: startTime,
    end_time: endTime,
    trace_id: traceId,
    span_id: spanId,
    parent_span_id: parentSpanId,
  };
  const event = { 'gcp.vertex.agent.event_id': span.eventId === '' ? undefined : span.eventId };
  const whole = encode({ ...plain, attributes: { ...span.attributes, ...event } });
  return whole.length <= largestJson ? whole : encode({ ...plain, attributes: event });
}

function encode(value: object): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(JSON.stringify(value));
}
