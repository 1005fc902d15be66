import { majors, ownServer } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from '../deployed-settings.ts';
import { at, loginsAt, ownedDatabase, withSchema } from './owned-database.ts';
import { migrateHere } from './migrate-here.ts';
import { runMain } from './run-main.ts';

// Not on the server that all tests share: there a superuser has made the roles already.

const migrate = (url: string, logins: Record<string, string>, ...args: string[]) =>
  runMain(['migrate', ...args], { ...logins, DATABASE_URL: url, LOG_LEVEL: 'silent' });

/** Services whose login reads the table of its migrations; the others have no schema or no rights. */
async function readers(logins: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  for (const word of words) {
    const url = logins[`${word.toUpperCase()}_DATABASE_URL`] ?? '';
    const read = at(url, (client) => client.query(`select from ${word}.migrations`));
    if (
      await read.then(
        ({ rowCount }) => rowCount !== 0,
        () => false,
      )
    )
      found.push(word);
  }
  return found;
}

describe.each(majors)('on PostgreSQL %s', (major) => {
  let resources: AsyncDisposableStack;
  let superuser: string;

  beforeAll(async () => {
    resources = new AsyncDisposableStack();
    superuser = resources.use(await ownServer(major)).url;
  }, 120_000);

  afterAll(() => resources.disposeAsync());

  test('an owner that may create roles, and is no superuser, prepares every schema and login, again with each release', async () => {
    const url = await ownedDatabase(superuser, 'with_createrole', 'createrole');
    const { rows: version } = await at(superuser, (client) => client.query('show server_version'));
    expect(version).toEqual([{ server_version: expect.stringMatching(`^${major}[.]`) }]);
    const first = loginsAt(url, 'first');
    for (const logins of [first, { ...first, ...loginsAt(url, 'second') }]) {
      for (const round of ['new', 'again']) {
        const { code, output } = await migrateHere([], { ...logins, DATABASE_URL: url });
        expect([round, output, code]).toEqual([round, expect.stringContaining('agentmesh_auth_'), 0]);
        expect(output).toContain('every login of the database may still take advisory locks, store large objects,');
      }
      expect(await readers(logins)).toEqual(withSchema);
    }
  });

  test('an owner that may create no role works with the roles that an administrator makes from what --print-sql prints', async () => {
    const url = await ownedDatabase(superuser, 'without_createrole', '');
    const logins = loginsAt(url, 'printed');
    const refused = await migrate(url, logins);
    expect(refused.code).toBe(1);
    expect(refused.output).toContain('may not create the role agentmesh_');
    expect(refused.output).toContain('--print-sql');
    const { code, output: script } = await migrate(url, logins, '--print-sql');
    expect(code).toBe(0);
    for (const address of Object.values(logins)) expect(script).not.toContain(new URL(address).password);
    const administrator = new URL(superuser);
    administrator.pathname = '/without_createrole';
    for (let round = 0; round < 2; round++) await at(administrator.href, (client) => client.query(script));
    const prepared = await migrate(url, logins);
    expect([prepared.output, prepared.code]).toEqual([expect.stringContaining('an administrator sets'), 0]);
    expect(prepared.output).not.toContain('every login of the database may still');
    expect(await readers(logins)).toEqual(withSchema);
    const weakest = logins['TRANSCRIPTION_DATABASE_URL'] ?? '';
    const attempts = ['pg_advisory_lock(1)', `lo_from_bytea(0, 'x')`, 'pg_stat_get_activity(null)'];
    for (const attempt of attempts) {
      await expect(at(weakest, (client) => client.query(`select ${attempt}`))).rejects.toMatchObject({ code: '42501' });
    }
    const limits = 'select rolconnlimit, rolconfig from pg_roles where rolname = current_user';
    expect((await at(weakest, (client) => client.query(limits))).rows).toEqual([
      { rolconnlimit: 50, rolconfig: expect.arrayContaining(['statement_timeout=6000', 'temp_file_limit=1GB']) },
    ]);
  });

  test('named services alone are prepared, and rights on the database stay as they are', async () => {
    const url = await ownedDatabase(superuser, 'some_services', 'createrole');
    const logins = loginsAt(url, 'some');
    const { code, output } = await migrateHere(['keys', 'memory'], { ...logins, DATABASE_URL: url });
    expect([output, code]).toEqual([expect.stringContaining('keys: keys; login agentmesh_keys_some'), 0]);
    expect(await readers(logins)).toEqual(['keys', 'memory']);
    const { rows } = await at(url, (client) =>
      client.query<{ name: string }>(
        `select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`,
      ),
    );
    expect(rows.map(({ name }) => name)).toEqual(['bus', 'keys', 'memory', 'memory_jobs', 'public']);
    const stranger = await at(url, (client) =>
      client.query<{ may: boolean }>(`select has_database_privilege('public', current_database(), 'CONNECT') as may`),
    );
    expect(stranger.rows).toEqual([{ may: true }]);
    expect((await migrate(url, logins, 'unheard')).output).toContain('unknown service: unheard');
  });
});
