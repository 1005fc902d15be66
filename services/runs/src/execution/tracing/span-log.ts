import type { SpanEnded } from '@agentmesh/proto/runs/v1';

/** An app as an account sees it. */
export interface AppOfAccount {
  readonly accountId: string;
  readonly appName: string;
}

/** Spans of the latest runs, in memory. */
export interface SpanLog {
  /** Adds a span; one that is known already changes nothing. */
  add(span: SpanEnded): void;
  ofSession(app: AppOfAccount, sessionId: string): Uint8Array[];
  /** The span in which an event was made, or none. */
  ofEvent(app: AppOfAccount, eventId: string): Uint8Array[];
  /** Drops everything of an account. */
  forget(accountId: string): void;
}

export interface SpanLimits {
  /** Most sessions. Beyond it the session without new spans for the longest time is dropped. */
  readonly sessions: number;
  /** Most spans of one session; beyond it the oldest are dropped. */
  readonly spansOfSession: number;
}

type Spans = Map<string, SpanEnded>;

export function createSpanLog({ sessions, spansOfSession }: SpanLimits): SpanLog {
  const known = new Map<string, Spans>();
  return {
    add(span) {
      const key = keyOf(span, span.sessionId);
      const spans: Spans = known.get(key) ?? new Map();
      if (spans.has(span.spanId)) return;
      spans.set(span.spanId, span);
      trim(spans, spansOfSession);
      known.delete(key);
      known.set(key, spans);
      trim(known, sessions);
    },
    ofSession: (app, sessionId) => [...(known.get(keyOf(app, sessionId))?.values() ?? [])].map(({ json }) => json),
    ofEvent(app, eventId) {
      for (const span of values(known)) {
        const isIt = span.eventId === eventId && span.accountId === app.accountId && span.appName === app.appName;
        if (isIt) return [span.json];
      }
      return [];
    },
    forget: (accountId) => {
      const prefix = JSON.stringify([accountId]).slice(0, -1);
      for (const key of known.keys()) if (key.startsWith(prefix)) known.delete(key);
    },
  };
}

/** Drops the oldest entries. */
function trim(map: Map<string, unknown>, size: number): void {
  for (const key of map.keys()) {
    if (map.size <= size) return;
    map.delete(key);
  }
}

function* values(known: ReadonlyMap<string, Spans>): Generator<SpanEnded> {
  for (const spans of known.values()) yield* spans.values();
}

function keyOf({ accountId, appName }: AppOfAccount, sessionId: string): string {
  return JSON.stringify([accountId, appName, sessionId]);
}
