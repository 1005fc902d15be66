import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Migration {
  readonly name: string;
  readonly text: string;
  readonly checksum: string;
  /** Indexes of a file that builds them concurrently, and has no other statements. */
  readonly indexes: readonly ConcurrentIndex[] | undefined;
}

interface ConcurrentIndex {
  readonly name: string;
  readonly statement: string;
}

/** The `0001-name.sql` files of a folder in order. Throws an Error that names a file which cannot be a migration. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  const path = fileURLToPath(folder);
  const names = (await readdir(path)).filter((name) => name.endsWith('.sql')).toSorted();
  const numbers = new Set<string>();
  for (const name of names) {
    if (!/^\d{4}-[a-z0-9-]+\.sql$/.test(name))
      throw new Error(`migration ${name} is not named like 0001-create-keys.sql`);
    const number = name.slice(0, 4);
    if (numbers.has(number)) throw new Error(`migration ${name} has the number of another one`);
    numbers.add(number);
  }
  return Promise.all(names.map(async (name) => toMigration(name, await readFile(join(path, name), 'utf8'))));
}

function toMigration(name: string, file: string): Migration {
  // A checkout may have turned line ends into CRLF.
  const text = file.replaceAll('\r\n', '\n');
  const checksum = createHash('sha256').update(text).digest('hex');
  return { name, text, checksum, indexes: concurrentIndexes(name, text) };
}

function concurrentIndexes(file: string, text: string): ConcurrentIndex[] | undefined {
  if (!/\bconcurrently\b/i.test(withoutComments(text))) return undefined;
  const statements = withoutComments(text).split(';');
  return statements
    .map((statement) => statement.trim())
    .filter((statement) => statement !== '')
    .map((statement) => {
      const name = /^create (?:unique )?index concurrently (\w+) on /i.exec(statement)?.[1];
      if (name === undefined)
        throw new Error(`migration ${file} has statements beside those that build an index concurrently`);
      return { name, statement };
    });
}

function withoutComments(text: string): string {
  return text.replaceAll(/--.*$/gm, '');
}
