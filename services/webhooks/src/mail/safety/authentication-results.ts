import { headerOf, type MailHeader } from './mail-headers.ts';

/** A check of a mail by the receiving server, e.g. `dkim=pass header.d=example.com`. All values are in lower case. */
export interface AuthenticationResult {
  readonly method: string;
  readonly result: string;
  /** Values by property name, e.g. `header.from`, `smtp.mailfrom`. */
  readonly properties: ReadonlyMap<string, string>;
}

/** A quoted string, a word, `;` or `=`. Comments are removed before. */
const token = /"((?:[^"\\]|\\.)*)"|[^\s;="]+|[;=]/g;

/**
 * Reads the header `Authentication-Results` (RFC 8601). Only the first header counts: the receiving server puts its own above those that came with
 * the mail. Exchange leaves out the name of the server.
 */
export function authenticationResults(headers: readonly MailHeader[]): AuthenticationResult[] {
  const value = withoutComments(headerOf(headers, 'authentication-results') ?? '').toLowerCase();
  return split(Array.from(value.matchAll(token), ([text, quoted]) => quoted ?? text)).flatMap(readResult);
}

function split(tokens: readonly string[]): string[][] {
  const parts: string[][] = [[]];
  for (const one of tokens) {
    if (one === ';') parts.push([]);
    else parts.at(-1)?.push(one);
  }
  return parts;
}

/** `method = result` and then any number of `name = value`. Any other part, e.g. the name of the server, is nothing. */
function readResult([name, equals, result, ...rest]: readonly string[]): AuthenticationResult[] {
  const method = name?.split('/', 1)[0];
  if (!method || equals !== '=' || result === undefined) return [];
  const properties = new Map<string, string>();
  for (let at = 0; at + 2 < rest.length; at += 1) {
    const [key, sign, value] = rest.slice(at, at + 3);
    if (sign === '=' && key !== undefined && value !== undefined && !properties.has(key)) properties.set(key, value);
  }
  return [{ method, result, properties }];
}

/** Removes comments in parentheses, which may be nested. An unclosed one ends with the text. */
function withoutComments(text: string): string {
  let depth = 0;
  let quoted = false;
  let kept = '';
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (char === '\\') {
      if (depth === 0) kept += text.slice(at, at + 2);
      at += 1;
      continue;
    }
    if (char === '"' && depth === 0) quoted = !quoted;
    if (char === '(' && !quoted) depth += 1;
    else if (char === ')' && depth > 0) depth -= 1;
    else if (depth === 0) kept += char;
  }
  return kept;
}
