/** Entity tag of a revision. */
export function entityTag(revision: string): string {
  return `"${revision}"`;
}

const tags = /(W\/)?"([^"]*)"/g;
/** A text that is no revision. */
const never = '';

/** Revisions that an `If-Match` header allows; empty if it allows all. Weak and invalid tags match nothing. */
export function admittedRevisions(header: string | undefined): string[] {
  if (header === undefined || header.trim() === '*') return [];
  const strong = [...header.matchAll(tags)].filter(([, weak]) => weak === undefined).map(([, , tag]) => tag ?? never);
  return strong.length === 0 ? [never] : strong;
}
