import { constants, createReadStream, type Dirent } from 'node:fs';
import { access, type FileHandle, mkdir, open, opendir, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { artifactNotFound, storeUnavailable } from '../errors.ts';
import type { BlobName, BlobStore, BlobWriter, ByteRange } from './blob-store.ts';

const readBytes = 256 * 1024;

interface DirectoryOptions {
  /** Whether the database knows objects. Asked when the folder is empty or missing. Default: it knows none. */
  readonly hasObjects?: () => Promise<boolean>;
  /** Called when the folder is empty, and the database knows objects. */
  readonly onEmpty?: () => void;
}

/**
 * Stores each object in the file `<account>/<first two characters of the id>/<id>`. It is written as `tmp/<id>`, flushed to disk and renamed.
 * Several processes may share the folder. Files have mode 0600 and folders 0700. An empty folder beside a database that knows objects is that
 * of a volume that is not mounted: `tmp` is not made in it, so all methods throw until the volume is there.
 */
export async function openDirectoryStore(
  root: string,
  { hasObjects, onEmpty }: DirectoryOptions = {},
): Promise<BlobStore> {
  const incoming = join(root, 'tmp');
  const pathOf = ({ accountId, id }: BlobName) => join(root, accountId, id.slice(0, 2), id);
  const temporary = ({ id }: BlobName) => join(incoming, id);
  if ((await isUnused(root)) && (await hasObjects?.()) === true) onEmpty?.();
  else await mkdir(incoming, { recursive: true, mode: 0o700 });
  const check = () => access(incoming, constants.R_OK | constants.W_OK).catch(fail);
  return {
    write: async (name) => {
      const file = await open(temporary(name), 'wx', 0o600).catch(fail);
      return createWriter(file, { from: temporary(name), to: pathOf(name) });
    },
    read: (name, range) => readFile(pathOf(name), { range, incoming }),
    remove: async (name) => {
      await check();
      await Promise.all([pathOf(name), temporary(name)].map((path) => rm(path, { force: true }))).catch(fail);
    },
    removeAccount: async (accountId) => {
      await check();
      await rm(join(root, accountId), { recursive: true, force: true }).catch(fail);
    },
    size: (name) => sizeOf(pathOf(name)),
    list: () => listFiles(root),
    check,
  };
}

/** Whether a folder is missing, or has only what a new file system has. Throws when it cannot be read. */
async function isUnused(root: string): Promise<boolean> {
  const names = await readdir(root).catch((error: unknown) => {
    if (isMissing(error)) return [];
    throw error;
  });
  return names.every((name) => name === 'lost+found');
}

async function sizeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw storeUnavailable(error);
  }
}

const pageSize = 500;

async function* listFiles(root: string): AsyncGenerator<BlobName[]> {
  let page: BlobName[] = [];
  for await (const name of filesIn(root)) {
    if (page.push(name) < pageSize) continue;
    yield page;
    page = [];
  }
  yield page;
}

/** Reads one folder of the tree at a time, and none of them whole. */
async function* filesIn(root: string): AsyncGenerator<BlobName> {
  for await (const { name: accountId } of foldersIn(root)) {
    if (accountId === 'tmp') continue;
    for await (const part of foldersIn(join(root, accountId))) {
      for await (const id of namesIn(join(root, accountId, part.name))) yield { accountId, id };
    }
  }
}

async function* namesIn(path: string): AsyncGenerator<string> {
  for await (const entry of entriesIn(path)) if (entry.isFile()) yield entry.name;
}

async function* foldersIn(path: string): AsyncGenerator<Dirent> {
  for await (const entry of entriesIn(path)) if (entry.isDirectory()) yield entry;
}

/** The entries of a folder; none when it was removed meanwhile. */
async function* entriesIn(path: string): AsyncGenerator<Dirent> {
  try {
    for await (const entry of await opendir(path)) yield entry;
  } catch (error) {
    if (!isMissing(error)) throw storeUnavailable(error);
  }
}

interface Reading {
  readonly range: ByteRange;
  /** A folder that the store always has. */
  readonly incoming: string;
}

async function* readFile(path: string, { range: { start, length }, incoming }: Reading): AsyncGenerator<Uint8Array> {
  if (length <= 0) return;
  const stream = createReadStream(path, { start, end: start + length - 1, highWaterMark: readBytes });
  try {
    for await (const chunk of stream) yield chunk as Buffer;
  } catch (error) {
    if (!isMissing(error)) throw storeUnavailable(error);
    // Without its volume the store has an empty folder, or none.
    await access(incoming).catch(fail);
    throw artifactNotFound();
  }
}

function createWriter(file: FileHandle, { from, to }: { from: string; to: string }): BlobWriter {
  // The chunk is written to disk while the next one arrives.
  let pending: Promise<unknown> = Promise.resolve();
  return {
    write: async (chunk) => {
      await pending.catch(fail);
      pending = writeAll(file, chunk);
      pending.catch(() => undefined);
    },
    finish: async () => {
      await pending.catch(fail);
      await completeFile(file, { from, to }).catch(fail);
    },
    abort: async () => {
      await pending.catch(() => undefined);
      await file.close().catch(() => undefined);
      await rm(from, { force: true }).catch(() => undefined);
    },
  };
}

async function writeAll(file: FileHandle, chunk: Uint8Array): Promise<void> {
  for (let sent = 0; sent < chunk.byteLength; ) {
    const { bytesWritten } = await file.write(chunk, sent);
    sent += bytesWritten;
  }
}

/** Flushes the file, renames it, and flushes the folders, because the rename is part of their data. */
async function completeFile(file: FileHandle, { from, to }: { from: string; to: string }): Promise<void> {
  await file.sync();
  await file.close();
  const folder = dirname(to);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(from, to);
  for (const path of [folder, dirname(folder), dirname(dirname(folder))]) await syncFolder(path);
}

async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

function fail(error: unknown): never {
  throw storeUnavailable(error);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOENT';
}
