import { glob } from 'node:fs/promises';
import { installPackage } from './apt.ts';

/**
 * Path of libfaketime for programs of several threads, by which a process is given another clock. Debian's is installed if we are root. Undefined, with a
 * warning, when there is none.
 */
export async function findLibfaketime(): Promise<string | undefined> {
  const found = (await ofMachine()) ?? ((await installPackage('libfaketime')) ? await ofMachine() : undefined);
  if (found === undefined)
    process.stderr.write('\n*** NO LIBFAKETIME: what needs a wrong clock is SKIPPED. Install libfaketime. ***\n\n\n');
  return found;
}

async function ofMachine(): Promise<string | undefined> {
  const { value } = await glob('/usr/lib/*/faketime/libfaketimeMT.so.1').next();
  return value;
}
