import {
  type Document,
  isAlias,
  isMap,
  isNode,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLMap,
} from 'yaml';
import type { Mistake, Mistakes, Place } from './mistake.ts';
import { toSnakeCase } from './to-snake-case.ts';

/** Path of a value: map keys and list indexes, from the top of the file. */
export type Path = readonly (string | number)[];

/** A YAML file's value, and the way to name a place in it. */
export interface YamlFile {
  readonly value: unknown;
  /** A mistake at the key or item of `path`, or at the nearest one above it that the file has. */
  mistake(path: Path, reason: string): Mistake;
}

/** Most aliases: enough for anchors written by a person, and far too few to fill the memory with aliases of aliases. */
const maxAliases = 20;
const tooDeep = 'is nested too deeply';
/** Plain sentences for the mistakes of syntax that people make most; the library's own words are those of the standard. */
const plain: Readonly<Record<string, string>> = {
  BAD_INDENT: 'is indented otherwise than what it belongs to, or a bracket before it is not closed',
  TAB_AS_INDENT: 'is indented with a tab: YAML takes spaces only',
  MISSING_CHAR: 'a quote, a bracket, a comma or a colon is missing here or before',
  UNEXPECTED_TOKEN: 'does not belong here: a text with : # [ ] { } or , needs quotes',
  BLOCK_AS_IMPLICIT_KEY: 'has two colons, or a line before it is indented otherwise: a text with a colon needs quotes',
  MULTILINE_IMPLICIT_KEY: 'a colon is missing behind the key, or the line before it is not finished',
  BLOCK_IN_FLOW: 'a bracket before it is not closed',
  BAD_SCALAR_START: 'a text that begins with this character needs quotes',
};
const top: Place = { line: 1, column: 1 };

/**
 * Parses one YAML document. Undefined, with all its mistakes added, for broken syntax, keys that are there twice and too many
 * aliases. Takes time in proportion to the text.
 */
export function parseYaml(file: string, text: string, mistakes: Mistakes): YamlFile | undefined {
  const lines = new LineCounter();
  const at = (offset: number | undefined): Place => {
    const { line, col } = lines.linePos(offset ?? 0);
    return line === 0 ? top : { line, column: col };
  };
  try {
    // The library's own check of unique keys compares every key with every other.
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: false });
    const found = findMistakes(document);
    for (const { offset, reason } of found) mistakes.add({ file, at: at(offset), key: '', reason });
    if (found.length > 0) return undefined;
    return {
      value: document.toJS({ maxAliasCount: maxAliases }),
      mistake: (path, reason) => {
        const offset = findNode(document.contents, path)?.range?.[0];
        return { file, at: at(offset), key: path.join('.'), reason };
      },
    };
  } catch (error) {
    // Parsing recurses: a deeply nested text ends in a RangeError.
    const reason = error instanceof RangeError ? tooDeep : `cannot be read as YAML: ${String(error)}`;
    mistakes.add({ file, at: top, key: '', reason });
    return undefined;
  }
}

interface Found {
  readonly offset: number | undefined;
  readonly reason: string;
}

function findMistakes(document: Document.Parsed): Found[] {
  if (document.errors.length > 0) {
    return document.errors.map(({ pos, code, message }) => {
      return { offset: pos[0], reason: code === 'RESOURCE_EXHAUSTION' ? tooDeep : (plain[code] ?? message) };
    });
  }
  const found: Found[] = [];
  let aliases = 0;
  visit(document, {
    Alias(_, node, parents) {
      aliases += 1;
      const offset = node.range?.[0];
      if (aliases > maxAliases) {
        found.push({ offset, reason: `is one alias more than the ${maxAliases} that a file may have` });
        return visit.BREAK;
      }
      const target = node.resolve(document);
      if (target === undefined)
        found.push({ offset, reason: `there is no anchor "&${node.source}" before this alias` });
      else if (parents.includes(target)) found.push({ offset, reason: `the alias "*${node.source}" holds itself` });
      return undefined;
    },
    Map(_, node) {
      found.push(...repeatedKeys(node));
    },
  });
  return found;
}

function repeatedKeys(map: YAMLMap): Found[] {
  const seen = new Set<string>();
  const found: Found[] = [];
  for (const { key } of map.items) {
    if (isAlias(key)) found.push({ offset: key.range?.[0], reason: 'a key must not be an alias' });
    if (!isScalar(key)) continue;
    const name = String(key.value);
    if (seen.has(name)) found.push({ offset: key.range?.[0], reason: `the key "${name}" is there twice` });
    seen.add(name);
  }
  return found;
}

/** The node of the last key or item of `path` that the document has. */
function findNode(root: unknown, path: Path): Node | undefined {
  let node = root;
  let found = isNode(root) ? root : undefined;
  for (const step of path) {
    const pair: Pair | undefined = isMap(node) ? node.items.find((item) => isKey(item.key, step)) : undefined;
    node = isSeq(node) ? node.items[Number(step)] : pair?.value;
    const named = pair?.key ?? node;
    if (!isNode(named)) break;
    found = named;
  }
  return found;
}

/** A path has the snake case of keys that may be written in camelCase too. */
function isKey(key: unknown, step: string | number): boolean {
  if (!isScalar(key)) return false;
  const name = String(key.value);
  return name === String(step) || toSnakeCase(name) === step;
}
