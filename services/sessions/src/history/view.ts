/** The events from one sequence to another. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** Rules that decide which events of a session its agents see. All events stay stored. */
export interface View {
  /** All rewinds, in order: each from the first event that it rewinds to the event that says so. */
  readonly rewinds: readonly Span[];
}

/** Most rewinds of a session. */
export const mostRewinds = 1_000;

/** The view of a session in which agents see everything. */
const whole: View = { rewinds: [] };

/** Reads the column `view`. */
export function readView(json: string | null): View {
  return json === null ? whole : (JSON.parse(json) as View);
}

/** The view as it is stored. */
export function printView(view: View): string | null {
  return view.rewinds.length === 0 ? null : JSON.stringify(view);
}

/** The view after a rewind. */
export function withRewind({ rewinds }: View, span: Span): View {
  return { rewinds: [...rewinds, span] };
}

/** The view of a copy that ends with the event at `last`. A rewind after it has no effect. */
export function viewUpTo({ rewinds }: View, last: number): View {
  return { rewinds: rewinds.filter((span) => span.last <= last) };
}

/** Whether agents see the event at a sequence. */
export function isVisible(view: View, seq: number): boolean {
  return !hiddenSpans(view).some(({ first, last }) => first <= seq && seq <= last);
}

/** The spans that agents see, the newest first, up to the newest event. */
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

/** The spans that agents do not see, the newest first. A rewind that is itself rewound has no effect any more. */
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
