import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** A block of a documentation page: the content of a new file, or with the language `diff` changes to a file. */
export interface PageEdit {
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

/** Every block that follows a heading of the form "### `path`". */
export function readPageEdits(page: string): PageEdit[] {
  const sections = readFileSync(page, 'utf8').split(/^(?=#{2,3} )/m);
  return sections.flatMap((section) => {
    const [, path] = /^### `([^`]+)`$/m.exec(section) ?? [];
    if (path === undefined) return [];
    const [, language = '', text] = /^```(\w+)\n(.*?)^```$/ms.exec(section) ?? [];
    if (text === undefined) throw new Error(`${page}: no block under ${path}`);
    return [{ path, language, text }];
  });
}

/** Makes the edit in `folder`. Throws when a new file exists already, or when the place of a change is not found exactly once. */
export async function applyEdit(folder: string, { path, language, text }: PageEdit): Promise<void> {
  const file = join(folder, path);
  if (language === 'diff') {
    const changed = text
      .split(/^@@\n/m)
      .reduce((content, hunk) => applyHunk(content, hunk, path), await readFile(file, 'utf8'));
    await writeFile(file, changed);
  } else {
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text, { flag: 'wx' });
  }
}

function applyHunk(content: string, hunk: string, path: string): string {
  const lines = hunk.split('\n').slice(0, -1);
  const without = (sign: string) => lines.filter((line) => !line.startsWith(sign)).map((line) => `${line.slice(1)}\n`);
  const before = without('+').join('');
  const parts = `\n${content}`.split(`\n${before}`);
  if (parts.length !== 2) throw new Error(`${path}: ${parts.length - 1} places look like\n${before}`);
  return parts.join(`\n${without('-').join('')}`).slice(1);
}
