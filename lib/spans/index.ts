export {
  areSpansWatched,
  showSpans,
  spanWatcher,
  startSpanWatching,
  watchSpan,
  watchSpans,
  withinSpan,
} from './watch-spans.ts';
export type { EndedSpan, SeenSpan, SpanWatcher } from './watcher.ts';
