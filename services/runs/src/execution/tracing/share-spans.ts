import type { Host } from '@agentmesh/lib/service';
import { type SpanEnded, SpanEndedSchema } from '@agentmesh/proto/runs/v1';
import type { SessionKey } from '@agentmesh/proto/sessions/v1';
import { create } from '@bufbuild/protobuf';
import type { TracedSpan } from './attempt-trace.ts';
import { createSpanLog, type SpanLog } from './span-log.ts';
import type { TraceSink } from './watch-attempts.ts';

const limits = { sessions: 300, spansOfSession: 400 };
/** Largest JSON of a span, in bytes: the limit of the bus without the ids. */
const largestJson = 3_500;

/**
 * The log of spans that ADK's web UI reads. The spans of an attempt are shared with the other processes of this service, so that any of them can be
 * asked. A span that the bus loses is known to its own process only.
 */
export async function shareSpans({
  bus,
  log: logger,
  resources,
}: Pick<Host, 'bus' | 'log' | 'resources'>): Promise<{ readonly log: SpanLog; readonly add: TraceSink }> {
  const log = createSpanLog(limits);
  resources.defer(await bus.subscribe(SpanEndedSchema, (span) => log.add(span)));
  const share = (span: SpanEnded): void => {
    log.add(span);
    bus.publish(SpanEndedSchema, span).catch((err: unknown) => {
      logger.debug({ err }, 'a span was not shared');
    });
  };
  return {
    log,
    add: ({ session }, trace) => trace.spans().forEach((span) => session && share(toMessage(session, span))),
  };
}

function toMessage({ accountId, appName, sessionId }: SessionKey, span: TracedSpan): SpanEnded {
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
}: TracedSpan): Uint8Array<ArrayBuffer> {
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
