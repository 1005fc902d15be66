import { LRUCache } from 'lru-cache';
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

type Spans = LRUCache<string, SpanEnded>;

export function createSpanLog({ sessions, spansOfSession }: SpanLimits): SpanLog {
  const known = new LRUCache<string, Spans>({ max: sessions });
  return {
    add(span) {
      const key = keyOf(span, span.sessionId);
      const spans: Spans = known.peek(key) ?? new LRUCache({ max: spansOfSession });
      if (spans.has(span.spanId)) return;
      spans.set(span.spanId, span);
      known.set(key, spans);
    },
    ofSession: (app, sessionId) =>
      [...(known.peek(keyOf(app, sessionId))?.rvalues() ?? [])].flatMap((span) => span?.json ?? []),
    ofEvent(app, eventId) {
      for (const span of values(known)) {
        const isIt = span.eventId === eventId && span.accountId === app.accountId && span.appName === app.appName;
        if (isIt) return [span.json];
      }
      return [];
    },
    forget: (accountId) => {
      const prefix = JSON.stringify([accountId]).slice(0, -1);
      for (const key of Array.from(known.keys())) if (key.startsWith(prefix)) known.delete(key);
    },
  };
}

function* values(known: LRUCache<string, Spans>): Generator<SpanEnded> {
  for (const spans of known.values()) yield* spans.values();
}

function keyOf({ accountId, appName }: AppOfAccount, sessionId: string): string {
  return JSON.stringify([accountId, appName, sessionId]);
}
