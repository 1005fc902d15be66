import { activeOf, type Compaction, importedCompactions, newestCompactions, type TimedEvent } from './compactions.ts';
import { type Span, withoutSpans } from './span.ts';

/** Rules that decide which events of a session its agents see. All events stay stored. */
export interface View {
  /** All rewinds, in order: each from the first event that it rewinds to the event that says so. */
  readonly rewinds: readonly Span[];
  /** The newest summaries, in order. */
  readonly compactions: readonly Compaction[];
}

/** Most rewinds of a session. */
export const mostRewinds = 1_000;

/** The view of a session in which agents see everything. */
const whole: View = { rewinds: [], compactions: [] };

/** Reads the column `view`. */
export function readView(json: string | null): View {
  return json === null ? whole : { ...whole, ...(JSON.parse(json) as Partial<View>) };
}

/** The view as it is stored. */
export function printView({ rewinds, compactions }: View): string | null {
  if (compactions.length > 0) return JSON.stringify({ rewinds, compactions });
  return rewinds.length === 0 ? null : JSON.stringify({ rewinds });
}

/** The view of a session that is created with events, as it is stored: summaries among them count. */
export function importedView(events: readonly TimedEvent[]): string | null {
  return printView({ ...whole, compactions: importedCompactions(events) });
}

/** The view after a rewind. */
export function withRewind({ rewinds, compactions }: View, span: Span): View {
  return { rewinds: [...rewinds, span], compactions };
}

/** The view after a summary. */
export function withCompaction({ rewinds, compactions }: View, compaction: Compaction): View {
  return { rewinds, compactions: newestCompactions([...compactions, compaction]) };
}

/** The view of a copy that ends with the event at `last`. Rewinds and summaries after it have no effect. */
export function viewUpTo({ rewinds, compactions }: View, last: number): View {
  return {
    rewinds: rewinds.filter((span) => span.last <= last),
    compactions: compactions.filter(({ seq }) => seq <= last),
  };
}

/** Sequence of the newest event that changed the view; 0 when none did. So two views of one session are equal when these are. */
export function changedAt({ rewinds, compactions }: View): number {
  return Math.max(rewinds.at(-1)?.last ?? 0, compactions.at(-1)?.seq ?? 0);
}

/** Whether no rewind leaves out the event at a sequence. */
export function isVisible(view: View, seq: number): boolean {
  return !hiddenSpans(view).some(({ first, last }) => first <= seq && seq <= last);
}

/** The spans that no rewind leaves out, the newest first, up to the newest event. */
export function visibleSpans(view: View, upTo: number): Span[] {
  const spans: Span[] = [];
  let last = upTo;
  for (const hidden of hiddenSpans(view)) {
    if (hidden.last < last) spans.push({ first: hidden.last + 1, last });
    last = hidden.first - 1;
  }
  if (last > 0) spans.push({ first: 1, last });
  return spans;
}

/**
 * The summaries that agents see instead of the events that they cover, in the order of the last of these events. Without summaries of an event at
 * `before` or behind it.
 */
export function activeCompactions(view: View, before = Infinity): Compaction[] {
  return activeOf(view.compactions, hiddenSpans(view)).filter(({ last }) => last < before);
}

/** The spans of which agents see the events themselves, the newest first, up to the newest event; `active` are the summaries that they see. */
export function openSpans(
  view: View,
  { active, upTo }: { readonly active: readonly Span[]; readonly upTo: number },
): Span[] {
  return withoutSpans(visibleSpans(view, upTo), active);
}

/** The spans that rewinds leave out, the newest first. A rewind that is itself rewound has no effect any more. */
function hiddenSpans({ rewinds }: View): Span[] {
  const spans: Span[] = [];
  let before = Infinity;
  for (const span of rewinds.toReversed()) {
    if (span.last >= before) continue;
    spans.push(span);
    before = span.first;
  }
  return spans;
}
