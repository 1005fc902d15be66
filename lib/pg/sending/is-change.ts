import type { QueryConfig } from 'pg';

/** The beginning of a statement that changes something only if a part of it does. */
const query = /^\s*(?:select|with|values)\b/i;
/**
 * A part that may change something, or a second statement. A read with such a word in a literal counts as a change, which is safe. `for update`
 * only locks rows. Functions of ours that write are named `purge_…`.
 */
const changing = /;|\b(?:insert|into|(?<!\bfor\s+(?:no\s+key\s+)?)update|delete|merge|purge_\w+)\b/i;

/** By the texts of named statements, each of which is read once. */
const known = new Map<string, boolean>();

/** Whether a statement may change rows. False only when it cannot: then nothing was stored, however it failed. */
export function isChange({ name, text }: QueryConfig): boolean {
  const found = known.get(text);
  if (found !== undefined) return found;
  const changes = !query.test(text) || changing.test(text);
  if (name !== undefined) known.set(text, changes);
  return changes;
}
