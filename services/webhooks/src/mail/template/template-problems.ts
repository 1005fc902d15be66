import { isPlaceholder, placeholders } from './placeholders.ts';
import { replacePlaceholders } from './scan-template.ts';

const maxLength = 20_000;
/** Unknown names that a problem lists at most. */
const mostNames = 10;
/** Anything else between double braces, e.g. `{{ sender.name }}`. */
const otherBraces = /\{\{([^{}\n]{0,100})\}\}/g;

/**
 * Reasons why a template cannot be saved, each a sentence for its author; empty when it can. A template that was saved by an earlier
 * release and has an unknown name still works: the name stays in the message as it is.
 */
export function templateProblems(template: string): string[] {
  if (template.length > maxLength) return [`The template is longer than ${maxLength} characters.`];
  if (template.includes('\0')) return ['The template contains NUL.'];
  const unknown = unknownNames(template);
  if (unknown.length === 0) return [];
  const named = unknown
    .slice(0, mostNames)
    .map((name) => JSON.stringify(name))
    .join(', ');
  return [`Unknown placeholder ${named}. Known are ${placeholders.join(', ')}. Write $$ for a dollar sign.`];
}

function unknownNames(template: string): string[] {
  const unknown = new Set<string>();
  const rest = replacePlaceholders(template, (name) => {
    if (!isPlaceholder(name)) unknown.add(name);
    return '';
  });
  for (const [, inside = ''] of rest.matchAll(otherBraces)) unknown.add(inside.trim());
  return [...unknown];
}
