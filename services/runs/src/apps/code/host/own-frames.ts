import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The frames of a stack that are in the folder of an app, with paths in it. The others tell of this program, and of the machine. */
export function ownFrames(stack: string, folder: string): string {
  const [path, url] = [`${folder}${sep}`, `${pathToFileURL(folder).href}/`];
  return stack
    .split('\n')
    .filter((line) => /^ *at /.test(line) && (line.includes(path) || line.includes(url)))
    .map((line) => line.trim().replaceAll(url, '').replaceAll(path, ''))
    .join('\n');
}
