import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** A frame of a stack, in a file or in Node. */
const frame = /^\s+at (?:async )?(?:[^(]* \()?(?:file:\/\/|node:|\/).*:\d+:\d+\)?(?: \{)?\s*$/;

/** The frames of a stack that are in the folder of an app, with paths in it. The others tell of this program, and of the machine. */
export function ownFrames(stack: string, folder: string): string {
  return ownLines(stack, folder)
    .filter((line) => /^ *at /.test(line))
    .map((line) => line.trim())
    .join('\n');
}

/** A text that code prints, without the frames of stacks that are not in the folder of the app, and with paths in it. */
export function ownText(text: string, folder: string): string {
  return ownLines(text, folder).join('\n');
}

function ownLines(text: string, folder: string): string[] {
  const [path, url] = [`${folder}${sep}`, `${pathToFileURL(folder).href}/`];
  return text
    .split('\n')
    .filter((line) => !frame.test(line) || line.includes(path) || line.includes(url))
    .map((line) => line.replaceAll(url, '').replaceAll(path, ''));
}
