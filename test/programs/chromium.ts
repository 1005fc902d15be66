import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { installPackage } from './apt.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/**
 * Path of a Chromium: `CHROMIUM_PATH`, the one of this machine, or Debian's, which is installed if we are root. Undefined, with
 * a warning, when there is none.
 */
export async function findChromium(): Promise<string | undefined> {
  const found = process.env.CHROMIUM_PATH ?? (await ofMachine()) ?? (await installed());
  if (found === undefined)
    process.stderr.write(
      '\n*** NO CHROMIUM: what needs a browser is SKIPPED. Install one, or set CHROMIUM_PATH. ***\n\n\n',
    );
  return found;
}

async function ofMachine(): Promise<string | undefined> {
  const folders = (process.env.PATH ?? '').split(delimiter);
  for (const path of names.flatMap((name) => folders.map((folder) => join(folder, name)))) {
    if (await isProgram(path)) return path;
  }
  return undefined;
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}

async function installed(): Promise<string | undefined> {
  return (await installPackage('chromium')) ? ofMachine() : undefined;
}
