import { execFile } from 'node:child_process';
import { access, constants, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { installPackage } from './apt.ts';

const run = promisify(execFile);

export interface PostgresTools {
  dump(url: string, file: string): Promise<void>;
  /** Restores a dump as docs/backup.md says: the login of `url` owns everything afterwards. */
  restore(url: string, file: string): Promise<void>;
  /** Copies the files of the server of `url`, for its superuser, into a new folder, as docs/backup.md says. */
  baseBackup(url: string, folder: string): Promise<void>;
}

/** `pg_dump`, `pg_restore` and `pg_basebackup` of a major version. Debian's are installed if we are root. Undefined, with a warning, when there are none. */
export async function findPostgresTools(major: number): Promise<PostgresTools | undefined> {
  const folder = `/usr/lib/postgresql/${major}/bin`;
  const isThere = () => isProgram(join(folder, 'pg_dump'));
  if ((await isThere()) || ((await installPackage(`postgresql-client-${major}`)) && (await isThere()))) {
    return toolsIn(folder);
  }
  process.stderr.write(
    `\n*** NO PG_DUMP: the rehearsal of a restore is SKIPPED. Install postgresql-client-${major}. ***\n\n\n`,
  );
  return undefined;
}

function toolsIn(folder: string): PostgresTools {
  return {
    dump: async (url, file) => {
      await run(join(folder, 'pg_dump'), ['--format=custom', `--file=${file}`, url]);
    },
    restore: async (url, file) => {
      const program = join(folder, 'pg_restore');
      // A policy names a role, which the new server does not have.
      const { stdout } = await run(program, ['--list', file], { maxBuffer: Infinity });
      const list = `${file}.list`;
      await writeFile(list, stdout.replaceAll(/^.* POLICY .*\n/gm, ''));
      const plain = ['--no-owner', '--no-privileges', '--exit-on-error', '--single-transaction', `--use-list=${list}`];
      await run(program, [...plain, `--dbname=${url}`, file]);
    },
    baseBackup: async (url, data) => {
      await run(join(folder, 'pg_basebackup'), [`--dbname=${url}`, `--pgdata=${data}`, '--checkpoint=fast']);
    },
  };
}

function isProgram(path: string): Promise<boolean> {
  return access(path, constants.X_OK).then(
    () => true,
    () => false,
  );
}
