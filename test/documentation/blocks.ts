import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../deployed-settings.ts';

/** A fenced block of a Markdown file. CONTRIBUTING.md describes how blocks are marked. */
export interface Block {
  readonly file: string;
  /** Line of the opening fence, counted from 1. */
  readonly line: number;
  /** The first word after the fence, e.g. `sh`; empty when there is none. */
  readonly language: string;
  readonly code: string;
  /** `no-run: <reason>`: the block is not run. */
  readonly reason: string | undefined;
  /** `file=<path>`: the block is written to this file, relative to the root of the repository. */
  readonly target: string | undefined;
  /** `answer`: this block is the output of the block before; `…` stands for any text. */
  readonly isAnswer: boolean;
}

const opening = /^( *)(`{3,}) *([\w-]*) *(.*)$/;

/** All fenced blocks of a file, in order. */
export function readBlocks(file: string): Block[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent = '', fence = '', language = '', info = ''] = opening.exec(lines[at] ?? '') ?? [];
    if (fence === '') continue;
    const line = at + 1;
    const code: string[] = [];
    for (at += 1; at < lines.length && lines[at]?.trim() !== fence; at += 1) {
      code.push((lines[at] ?? '').replace(indent, ''));
    }
    blocks.push({
      file,
      line,
      language: language.toLowerCase(),
      code: code.join('\n'),
      reason: /\bno-run: *(.+)$/.exec(info)?.[1],
      target: /\bfile=(\S+)/.exec(info)?.[1],
      isAnswer: /\banswer\b/.test(info),
    });
  }
  return blocks;
}
