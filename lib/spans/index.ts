export { areSpansWatched, showSpans, startSpanWatching, watchSpans, withinSpan } from './watch-spans.ts';
export type { EndedSpan } from './watcher.ts';
