import { stripTypeScriptTypes } from 'node:module';

/**
 * JavaScript of a TypeScript module. Types become spaces, so places in errors stay; code that has no JavaScript of its own, such as an
 * enum, is translated with a source map. Imports that only types used are left out, as other TypeScript loaders do.
 */
export function stripTypes(source: string, url: string): string {
  return withoutUnusedImports(strip(source, url));
}

function strip(source: string, url: string): string {
  try {
    return stripTypeScriptTypes(source, { sourceUrl: url });
  } catch (error) {
    if (!isUnsupported(error)) throw named(error, url);
    // Not from the start: with source maps, Node names no place in syntax errors.
    process.setSourceMapsEnabled(true);
    return stripTypeScriptTypes(source, { mode: 'transform', sourceMap: true, sourceUrl: url });
  }
}

function isUnsupported(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX';
}

/** Node names no file in the errors of this function. */
function named(error: unknown, url: string): unknown {
  if (error instanceof Error && !error.stack?.startsWith(url))
    error.stack = `${url}${error.stack?.replace(/^[^\n]*?(?=:\d+\n)/, '')}`;
  return error;
}

const imports = /^([ \t]*import\s+(?:[\w$]+\s*,\s*)?)\{([^}]*)\}(\s*from\s*['"][^'"\n]+['"])/gm;

function withoutUnusedImports(code: string): string {
  const rest = code.replace(imports, '');
  let changed = code;
  for (const { 0: whole, 1: start, 2: names = '', 3: end, index } of code.matchAll(imports)) {
    const kept = names.replace(/[^,\s][^,]*/g, (name) => {
      const local = /([\w$]+)\s*$/.exec(name)?.[1] ?? name;
      return isUsed(local, rest) ? name : ' '.repeat(name.length);
    });
    const list = kept.replace(/,(?=\s*(?:,|$))/g, ' ').replace(/^(\s*),/, '$1 ');
    if (list === names || !isStatement(code, index)) continue;
    // It is as long as before, so the places of the others stay.
    changed = `${changed.slice(0, index)}${start}{${list}}${end}${changed.slice(index + whole.length)}`;
  }
  return changed;
}

/** Whether the import at a place is a statement, and no part of a text or a comment: only a statement is broken by a word before it. */
function isStatement(code: string, offset: number): boolean {
  try {
    stripTypeScriptTypes(`${code.slice(0, offset)} import ${code.slice(offset)}`);
    return false;
  } catch {
    return true;
  }
}

function isUsed(name: string, code: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}(?![\\w$])`).test(code);
}

const esm = /^\s*(?:import\s*[\w${*'"]|export\s)/m;

/** Whether a TypeScript file without imports and exports, or one that says so, is CommonJS. */
export function isCommonJs(path: string, code: string): boolean {
  if (/\.[cm]ts$/.test(path)) return path.endsWith('.cts');
  return !esm.test(code) && /\b(?:require\(|module\.exports\b|exports\.)/.test(code);
}
