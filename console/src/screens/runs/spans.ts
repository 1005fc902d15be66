import type { Event, Run } from '@agentmesh/client';

/** Something that took time in a run. */
export interface Span {
  readonly kind: 'queue' | 'model' | 'tool' | 'wait';
  readonly name: string;
  readonly agent: string;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly hasFailed: boolean;
}

/** The spans of a run by its events: an answer of a model took the time since the event before it, a tool the time from its call to its response. */
export function spansOf({ createTime, startTime }: Run, events: readonly Event[]): readonly Span[] {
  const start = startTime ?? createTime;
  const queued: Span = { kind: 'queue', name: '', agent: '', start: createTime, end: start, hasFailed: false };
  const spans: Span[] = start - createTime > 0.05 ? [queued] : [];
  const calls = new Map<string, { at: number; name: string; agent: string; isLong: boolean }>();
  let before = start;
  for (const event of events) {
    const at = event.timestamp ?? before;
    const parts = event.content?.parts ?? [];
    const responses = parts.flatMap(({ functionResponse }) => functionResponse ?? []);
    for (const { id, response } of responses) {
      const call = calls.get(id ?? '');
      if (call === undefined) continue;
      const { name, agent, isLong, at: begun } = call;
      const hasFailed = response?.['error'] !== undefined;
      spans.push({ kind: isLong ? 'wait' : 'tool', name, agent, start: begun, end: at, hasFailed });
    }
    if (event.author !== 'user' && responses.length === 0 && parts.length > 0) {
      const name = event.modelVersion ?? '';
      spans.push({
        kind: 'model',
        name,
        agent: event.author,
        start: before,
        end: at,
        hasFailed: Boolean(event.errorCode),
      });
    }
    const long = new Set(event.longRunningToolIds ?? []);
    for (const { id, name } of parts.flatMap(({ functionCall }) => functionCall ?? [])) {
      calls.set(id ?? '', { at, name: name ?? '', agent: event.author, isLong: long.has(id ?? '') });
    }
    before = Math.max(at, before);
  }
  return spans.toSorted((a, b) => a.start - b.start);
}
