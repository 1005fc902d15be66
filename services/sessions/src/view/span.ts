/** The events from one sequence to another. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/** The parts of `spans` that lie outside of `covers`, in the order of `spans`. Both may be in any order. */
export function withoutSpans(spans: readonly Span[], covers: readonly Span[]): Span[] {
  return covers.reduce<readonly Span[]>((left, cover) => left.flatMap((span) => cutOut(span, cover)), spans).slice();
}

/** The rest of a span, the newest part first. */
function cutOut({ first, last }: Span, cover: Span): Span[] {
  if (cover.last < first || cover.first > last) return [{ first, last }];
  const newer = { first: cover.last + 1, last };
  const older = { first, last: cover.first - 1 };
  return [newer, older].filter((span) => span.first <= span.last);
}
