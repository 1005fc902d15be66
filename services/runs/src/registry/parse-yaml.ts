import { isMap, isNode, isScalar, isSeq, LineCounter, type Node, type Pair, parseDocument } from 'yaml';
import { AppFileError } from './app-file-error.ts';

type Path = readonly (string | number)[];

/** A YAML file's value, and how to complain about a place in it. */
export interface YamlFile {
  readonly value: unknown;
  /** An error that names the file, the line of `path` and the reason. */
  fail(path: Path, reason: string): AppFileError;
}

/** Enough for anchors that a person writes, far too few for a billion laughs. */
const maxAliases = 20;

/** Parses one YAML document; throws AppFileError for broken syntax, repeated keys and runaway aliases. */
export function parseYaml(file: string, text: string): YamlFile {
  const lines = new LineCounter();
  try {
    const document = parseDocument(text, { lineCounter: lines, prettyErrors: false });
    const [error] = document.errors;
    if (error !== undefined) throw new AppFileError({ file, at: lines.linePos(error.pos[0]) }, error.message);
    const value: unknown = document.toJS({ maxAliasCount: maxAliases });
    return { value, fail: (path, reason) => failAt({ file, root: document.contents, lines, path }, reason) };
  } catch (error) {
    // The parser recurses: a deeply nested text ends in a RangeError, too many aliases in a ReferenceError.
    throw error instanceof AppFileError
      ? error
      : new AppFileError({ file }, `cannot be read as YAML: ${String(error)}`);
  }
}

function failAt(place: { file: string; root: unknown; lines: LineCounter; path: Path }, reason: string): AppFileError {
  const offset = findNode(place.root, place.path)?.range?.[0];
  const at = offset === undefined ? {} : { at: place.lines.linePos(offset) };
  return new AppFileError({ file: place.file, key: place.path.join('.'), ...at }, reason);
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

function isKey(key: unknown, step: string | number): boolean {
  return isScalar(key) && String(key.value) === String(step);
}
