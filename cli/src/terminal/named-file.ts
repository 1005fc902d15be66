import { accessSync, constants, openAsBlob, readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { UsageError } from './exit-code.ts';

type Reasons = Readonly<Record<string, (path: string) => string>>;

const common: Reasons = {
  EISDIR: (path) => `${path} is a folder: name a file.`,
  ERR_FS_EISDIR: (path) => `${path} is a folder: name a file.`,
};

const ofReading: Reasons = {
  ...common,
  ENOENT: (path) => `There is no file ${path}: name one that exists.`,
  ENOTDIR: (path) => `${path} cannot be read: a part of its path is a file.`,
  EACCES: (path) => `${path} may not be read: look at its permissions.`,
};

const ofWriting: Reasons = {
  ...common,
  ENOENT: (path) => `There is no folder ${dirname(path)}: make it, or name another file.`,
  ENOTDIR: (path) => `${path} cannot be made: a part of its path is a file.`,
  EACCES: (path) => `${path} may not be written: look at its permissions.`,
};

/** The bytes of a file that a person has named. Throws UsageError where it cannot be read. */
export function readNamed(path: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(path);
  } catch (error) {
    throw told(error, path, ofReading);
  }
}

/** A file that a person has named, whose bytes are read when they are sent. Throws UsageError where it cannot be read. */
export async function blobOfNamed(path: string): Promise<Blob> {
  try {
    accessSync(path, constants.R_OK);
    if (statSync(path).isDirectory()) throw new UsageError(`${path} is a folder: name a file.`);
    return await openAsBlob(path);
  } catch (error) {
    throw told(error, path, ofReading);
  }
}

/** Writes to a file that a person has named. Throws UsageError where it cannot be written, and another error where it exists but must not. */
export async function writeNamed<T>(path: string, write: () => T | Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST')
      throw new Error(`${path} exists already: name another file.`, { cause: error });
    throw told(error, path, ofWriting);
  }
}

function told(error: unknown, path: string, reasons: Reasons): unknown {
  const reason = error instanceof Error && 'code' in error ? reasons[String(error.code)] : undefined;
  return reason === undefined ? error : new UsageError(reason(path));
}
