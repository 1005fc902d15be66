/** A revision as an entity tag. */
export function entityTag(revision: string): string {
  return `"${revision}"`;
}

const tags = /(W\/)?"([^"]*)"/g;
/** No revision is empty. */
const never = '';

/**
 * The revisions that an `If-Match` header admits; none where it admits any. Weak tags match nothing, nor does what is no tag:
 * a condition that cannot be met is not met.
 */
export function admittedRevisions(header: string | undefined): string[] {
  if (header === undefined || header.trim() === '*') return [];
  const strong = [...header.matchAll(tags)].filter(([, weak]) => weak === undefined).map(([, , tag]) => tag ?? never);
  return strong.length === 0 ? [never] : strong;
}
