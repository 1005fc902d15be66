import { cleanText } from '../safety/clean-text.ts';

const maxLength = 150;

/**
 * Names for the files of one mail, in their order: unique, visible, without slashes, at most 150 characters plus a number, and allowed as last segment
 * of an artifact's name.
 */
export function attachmentNames(filenames: readonly string[]): string[] {
  const taken = new Set<string>();
  for (const filename of filenames) taken.add(freeName(safeName(filename), taken));
  return [...taken];
}

function safeName(filename: string): string {
  const name = cleanText(filename, { lines: false, maxLength: 1_024 }).replace(/[/\\]/g, '_');
  const cut = name.length <= maxLength ? name : shortened(name);
  const shown = cut.trim();
  if (/^\.*$/.test(shown)) return 'attachment';
  // The artifacts service reserves this name.
  return shown.replace(/metadata\.json$/i, 'metadata_.json');
}

/** Shortens a name to `maxLength` characters, and keeps its extension. */
function shortened(name: string): string {
  const { extension } = split(name);
  const stem = name.slice(0, maxLength - extension.length);
  return (stem + extension).toWellFormed();
}

function freeName(name: string, taken: ReadonlySet<string>): string {
  const { stem, extension } = split(name);
  let free = name;
  for (let number = 2; taken.has(free); number += 1) free = `${stem} (${number})${extension}`;
  return free;
}

function split(name: string): { stem: string; extension: string } {
  const extension = /.(\.[A-Za-z0-9]{1,10})$/.exec(name)?.[1] ?? '';
  return { stem: name.slice(0, name.length - extension.length), extension };
}
