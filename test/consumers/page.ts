import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readBlocks } from '../documentation/blocks.ts';

export interface Chapter {
  readonly commands: string;
  /** The output that the page promises. */
  readonly answer: string;
}

const blocks = readBlocks('docs/consumers.md');

/** A chapter of docs/consumers.md by a word of its commands. Its files (`… as <file>`) are written into a folder, with the address of the mesh. */
export function chapterOf(word: string, folder: string, address: string): Chapter {
  const here = (code: string): string => code.replaceAll('127.0.0.1:9102', address);
  const at = blocks.findIndex(({ language, code }) => language === 'sh' && code.includes(word));
  const rest = blocks.slice(at + 1);
  const end = rest.findIndex(({ language }) => language === 'text');
  for (const { reason = '', code } of rest.slice(0, end)) {
    const [, file] = / as (\S+)$/.exec(reason) ?? [];
    if (file !== undefined) writeFileSync(join(folder, file), here(code));
  }
  return { commands: here(blocks[at]?.code ?? ''), answer: rest[end]?.code ?? '' };
}
