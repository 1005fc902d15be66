import type { Database } from '@agentmesh/lib/pg';
import type { Host } from '@agentmesh/lib/service';
import { exportedSpan } from './execution/tracing/exported-span.ts';
import { startSpanWatching } from '@agentmesh/lib/spans';
import { isTracing } from '@agentmesh/lib/telemetry';
import { trace } from '@opentelemetry/api';
import type { RunsConfig, runsSettings } from './config.ts';
import { shareSpans } from './execution/tracing/share-spans.ts';
import type { SpanLog } from './execution/tracing/span-log.ts';
import { LogWriter } from './execution/tracing/log-writer.ts';
import { TraceWriter } from './execution/tracing/trace-writer.ts';
import { watchAttempts, type WatchedAttempts } from './execution/tracing/watch-attempts.ts';

type TraceHost = Host<typeof runsSettings>;

/** The receivers of the spans of runs. Without any, nothing is watched, and runs do not know of traces. */
export interface Traces {
  readonly watched: WatchedAttempts | undefined;
  /** Spans of the latest runs; absent while ADK's web UI is off. */
  readonly log: SpanLog | undefined;
  readonly writer: TraceWriter | undefined;
  /** Lines of runs. Absent with `writer`. */
  readonly lines: LogWriter | undefined;
}

/** Begins to see spans, if they are wanted. */
export function prepareTraces({ resources }: TraceHost, { traces }: RunsConfig): void {
  if (!traces.isWatched && !isTracing()) return;
  resources.use(startSpanWatching(isTracing() ? trace.getTracerProvider() : undefined, exportedSpan));
}

/** Opens what takes the spans: ADK's web UI shows those of all runs, the database keeps those of the sample. */
export async function openTraces(
  host: TraceHost,
  { config: { traces }, db }: { readonly config: RunsConfig; readonly db: Database },
): Promise<Traces> {
  const { config, log, metrics, resources } = host;
  const shared = config.ADK_WEB_UI ? await shareSpans(host) : undefined;
  const { sample } = traces;
  const writer = sample > 0 ? resources.use(new TraceWriter({ db, log, metrics, sample })) : undefined;
  const lines = sample > 0 ? resources.use(new LogWriter({ db, log, sample })) : undefined;
  const sinks = { traces: [shared, writer].flatMap((sink) => sink?.add ?? []), lines };
  return {
    watched: sinks.traces.length > 0 ? watchAttempts(shared === undefined ? sample : 1, sinks, log) : undefined,
    log: shared?.log,
    writer,
    lines,
  };
}
