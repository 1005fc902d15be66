import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Mistake } from '../../../definition/mistake.ts';
import { textsOfError } from '../texts-of-error.ts';

const longestReason = 1_000;
/** First line of the stack of a syntax error, before some lines of the text and a caret. */
const syntaxPlace = /^(file:[^\n]+|\/[^\n]+):(\d+)\n(?:[^\n]*\n){1,9}?( *)\^/;
const frame = /(file:\/\/[^\s()]+|\/[^\s()]+):(\d+):(\d+)\)?$/;

/** The mistake of an error that a module of the folder threw, with the place in the folder where it was thrown. */
export function placeOfError(error: unknown, folder: string, fallback: string): Mistake {
  const { stack, name, message } = textsOfError(error);
  const text = `${name}: ${message}`.replaceAll(`${folder}/`, '').replaceAll(`file://${folder}/`, '');
  const reason = text.slice(0, longestReason);
  const place = syntaxPlaceOf(stack, folder) ?? framePlaceOf(stack, folder);
  return place === undefined ? { file: fallback, key: '', reason } : { ...place, key: '', reason };
}

/** The message of an error with the place in the folder where it was thrown: `tools.ts:12:5: Error: text`. */
export function printError(error: unknown, folder: string): string {
  const { file, at, reason } = placeOfError(error, folder, '');
  return at === undefined ? reason : `${file}:${at.line}:${at.column}: ${reason}`;
}

type Place = Pick<Mistake, 'file' | 'at'>;

function syntaxPlaceOf(stack: string, folder: string): Place | undefined {
  const [, path, line, before] = syntaxPlace.exec(stack) ?? [];
  return placeIn(folder, path, [line, String((before?.length ?? 0) + 1)]);
}

function framePlaceOf(stack: string, folder: string): Place | undefined {
  for (const text of stack.split('\n')) {
    const [, path, line, column] = frame.exec(text) ?? [];
    const place = placeIn(folder, path, [line, column]);
    if (place !== undefined && !place.file.includes('node_modules/')) return place;
  }
  return undefined;
}

function placeIn(folder: string, path: string | undefined, [line, column]: (string | undefined)[]): Place | undefined {
  if (path === undefined) return undefined;
  const file = relative(folder, path.startsWith('file:') ? fileURLToPath(path) : path);
  if (file.startsWith('..') || file === '') return undefined;
  return { file, at: { line: Number(line), column: Number(column) } };
}
