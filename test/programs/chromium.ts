import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { installPackage } from './apt.ts';

/** The shell alone, without windows and menus, takes half of the processor time. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** A microphone that nobody has to allow. */
const audio = ['--use-fake-device-for-media-stream', '--use-fake-ui-for-media-stream'];
const args = ['--no-sandbox', '--disable-dev-shm-usage', ...audio];

// Kept on the process: it ends with the worker of the test run, whose files come one after the other.
const BROWSER = Symbol.for('agentmesh.testBrowser');
const registry = process as { [BROWSER]?: Promise<Browser | undefined> };

/** The browser of this process, which the first call starts. Undefined, with a warning, where the machine has none. Each file of tests leaves it with `leaveBrowser`. */
export function openBrowser(): Promise<Browser | undefined> {
  registry[BROWSER] ??= launch();
  return registry[BROWSER];
}

/** Closes what was opened in the browser. */
export async function leaveBrowser(): Promise<void> {
  const browser = await registry[BROWSER];
  await Promise.all(browser?.contexts().map((context) => context.close()) ?? []);
}

async function launch(): Promise<Browser | undefined> {
  const executablePath = await findChromium();
  return executablePath === undefined ? undefined : chromium.launch({ executablePath, args });
}

/**
 * Path of a Chromium: `CHROMIUM_PATH`, the one of this machine, or Debian's, which is installed if we are root. Undefined, with
 * a warning, when there is none.
 */
async function findChromium(): Promise<string | undefined> {
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
  for (const name of ['chromium-headless-shell', 'chromium']) if (await installPackage(name)) return ofMachine();
  return undefined;
}
