import { durablesOf, subjectOf, topicsOf } from '@agentmesh/lib/bus';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { topics } from '@agentmesh/proto/topics';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from '../deployed-settings.ts';
import { isKnownFunction } from './known-functions.ts';
import { prepareLogins } from '../prepare-logins.ts';

// The mesh itself works with these logins: the end-to-end tests of separate processes have them.

let resources: AsyncDisposableStack;
let adminUrl: string;
let urlOf: (word: string) => string;

beforeAll(async () => {
  resources = new AsyncDisposableStack();
  adminUrl = resources.use(await testDatabaseUrl()).url;
  const settings = await prepareLogins(adminUrl);
  urlOf = (word) => settings(word).DATABASE_URL;
}, 120_000);

afterAll(() => resources.disposeAsync());

async function at<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs `work` with a connection of a service's login. */
const asLogin = <T>(word: string, work: (client: pg.Client) => Promise<T>): Promise<T> => at(urlOf(word), work);

const outcomeOf = (statement: Promise<pg.QueryResult>): Promise<string> =>
  statement.then(
    ({ rowCount }) => `${rowCount} rows`,
    (error: unknown) => (error as { code: string }).code,
  );
const denied = '42501';

describe('the database login of a service', () => {
  test('reads the tables of its own schemas, and of no other', async () => {
    const list = `select n.nspname as schema, c.oid::regclass::text as name from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and n.nspname not in ('pg_catalog', 'information_schema', 'bus') order by 2`;
    for (const word of words) {
      const wrong = await asLogin(word, async (client) => {
        const { rows } = await client.query<{ schema: string; name: string }>(list);
        expect(rows.length).toBeGreaterThan(30);
        const found: string[] = [];
        for (const { schema, name } of rows) {
          const isOwn = [word, `${word}_jobs`].includes(schema);
          const outcome = await outcomeOf(client.query(`select 1 from ${name} limit 1`));
          if ((outcome !== denied) !== isOwn) found.push(`${word} ${outcome} ${name}`);
        }
        return found;
      });
      expect(wrong).toEqual([]);
    }
  });

  test('is no superuser, becomes no other role, changes no table, and switches no trigger off', async () => {
    for (const word of words) {
      await asLogin(word, async (client) => {
        const { rows } = await client.query<{ name: string }>(
          `select rolname as name from pg_roles where rolname like 'agentmesh%' and rolname <> current_user`,
        );
        expect(rows.length).toBeGreaterThan(10);
        for (const { name } of rows)
          expect([name, await outcomeOf(client.query(`set role ${name}`))]).toEqual([name, denied]);
        const statements = [
          'create role evil',
          'create schema evil',
          'create table public.evil ()',
          'create temporary table evil ()',
          "set session_replication_role = 'replica'",
          'alter table bus.messages disable row level security',
        ];
        if (word === 'auth') statements.push('alter table auth.audit disable trigger all', 'drop table auth.audit');
        for (const statement of statements) {
          expect([statement, await outcomeOf(client.query(statement))]).toEqual([statement, denied]);
        }
      });
    }
  });

  test('has a limit of connections, of temporary files and of statements', async () => {
    for (const word of words) {
      await asLogin(word, async (client) => {
        const text = `select rolconnlimit = current_setting('max_connections')::int / 2 as half, rolconfig from pg_roles
          where rolname = current_user`;
        const settings = ['statement_timeout=6000', 'idle_in_transaction_session_timeout=15000', 'temp_file_limit=1GB'];
        expect((await client.query(text)).rows).toEqual([{ half: true, rolconfig: settings }]);
        expect((await client.query('show temp_file_limit')).rows).toEqual([{ temp_file_limit: '1GB' }]);
        expect(await outcomeOf(client.query('set temp_file_limit = -1'))).toBe(denied);
      });
    }
  });

  test('may call no function that holds locks of others, fills the disk, or shows what others do', async () => {
    const calls = [
      ...['', 'try_'].flatMap((kind) =>
        ['', 'xact_'].flatMap((scope) =>
          ['', '_shared'].flatMap((mode) => [
            `pg_${kind}advisory_${scope}lock${mode}(1)`,
            `pg_${kind}advisory_${scope}lock${mode}(1, 2)`,
          ]),
        ),
      ),
      'lo_create(0)',
      "lo_from_bytea(0, 'x')",
      "lo_put(1, 0, 'x')",
      'lo_unlink(1)',
      'lo_open(1, 393216)',
      "lowrite(0, 'x')",
      "pg_logical_emit_message(false, 'x', repeat('x', 1000))",
      'pg_stat_get_activity(null)',
      "pg_stat_get_progress_info('VACUUM')",
      'pg_stat_get_tuples_inserted(1)',
      "pg_read_file('postgresql.conf')",
      "pg_ls_dir('.')",
      'pg_reload_conf()',
      'pg_stat_reset()',
      'pg_switch_wal()',
    ];
    const views = [
      'pg_stat_activity',
      'pg_stat_user_tables',
      'pg_stat_replication',
      'pg_stat_database',
      'pg_statio_all_tables',
    ];
    for (const word of words) {
      await asLogin(word, async (client) => {
        for (const call of calls)
          expect([call, await outcomeOf(client.query(`select ${call}`))]).toEqual([call, denied]);
        for (const view of views)
          expect([view, await outcomeOf(client.query(`select from ${view}`))]).toEqual([view, denied]);
      });
    }
  });

  test('may call no other function with effects than those that were looked at', async () => {
    const text = `select distinct proname as name from pg_proc
      where pronamespace = 'pg_catalog'::regnamespace and provolatile = 'v'
        and prorettype not in ('trigger'::regtype, 'event_trigger'::regtype, 'internal'::regtype)
        and has_function_privilege(oid, 'EXECUTE') order by 1`;
    for (const word of words) {
      const { rows } = await asLogin(word, (client) => client.query<{ name: string }>(text));
      const unknown = rows.map(({ name }) => name).filter((name) => !isKnownFunction(name));
      expect([word, unknown]).toEqual([word, []]);
    }
  });

  test('calls of the functions of the mesh only those of its own schemas, and the one that deletes what its messages do not need', async () => {
    const text = `select pronamespace::regnamespace || '.' || proname as name from pg_proc where pronamespace <> 'pg_catalog'::regnamespace
      and pronamespace <> 'information_schema'::regnamespace and has_function_privilege(oid, 'EXECUTE')
      and has_schema_privilege(pronamespace, 'USAGE')`;
    for (const word of words) {
      const { rows } = await asLogin(word, (client) => client.query<{ name: string }>(text));
      const own = [word, `${word}_jobs`];
      const foreign = rows
        .map(({ name }) => name)
        .filter((name) => name !== 'bus.trim' && !own.includes(name.split('.')[0] ?? ''));
      expect([word, foreign]).toEqual([word, []]);
    }
  });

  test('of auth can only add to the audit', async () => {
    await asLogin('auth', async (client) => {
      for (const statement of ["update auth.audit set action = ''", 'delete from auth.audit', 'truncate auth.audit']) {
        expect([statement, await outcomeOf(client.query(statement))]).toEqual([statement, denied]);
      }
    });
  });

  test('is needed to connect: no other login of the server may', async () => {
    const stranger = new URL(adminUrl);
    stranger.username = `stranger_${stranger.pathname.slice(1)}`;
    stranger.password = 'password-of-a-stranger';
    await at(adminUrl, (client) =>
      client.query(`create role ${stranger.username} login password '${stranger.password}'`),
    );
    try {
      await expect(at(stranger.href, () => Promise.resolve())).rejects.toMatchObject({ code: denied });
    } finally {
      await at(adminUrl, (client) => client.query(`drop role ${stranger.username}`));
    }
  });
});

describe('on the bus, the login of a service', () => {
  const kept = topics.filter((topic) => durablesOf(topic).length > 0);
  const isPublisher = (word: string, topic: (typeof topics)[number]) => topicsOf(word).published.includes(topic);
  const insert = `insert into bus.messages (subject, id, sender, payload) values ($1, 'forged', $2, '')`;

  beforeAll(async () => {
    await at(adminUrl, async (client) => {
      for (const topic of kept) {
        await client.query(insert, [subjectOf(topic), 'tests']);
        for (const durable of durablesOf(topic)) {
          const name = [subjectOf(topic), durable];
          await client.query('insert into bus.durables (subject, durable) values ($1, $2)', name);
          await client.query(
            `insert into bus.dead_letters (subject, durable, seq, id, sender, payload, reason) values ($1, $2, 1, '', '', '', '')`,
            name,
          );
        }
      }
    });
  });

  test('stores messages and durable consumers of its own topics only, as their sender', async () => {
    for (const word of words) {
      await asLogin(word, async (client) => {
        for (const topic of kept) {
          const isOwn = isPublisher(word, topic);
          const subject = subjectOf(topic);
          const tried = [
            [word, await outcomeOf(client.query(insert, [subject, word])), isOwn ? '1 rows' : denied],
            ['as another', await outcomeOf(client.query(insert, [subject, 'tests'])), denied],
            [
              'with a seq',
              await outcomeOf(client.query(`insert into bus.messages overriding system value values ('', 9)`)),
              denied,
            ],
            [
              'a durable',
              await outcomeOf(
                client.query(`insert into bus.durables (subject, durable) values ($1, 'evil')`, [subject]),
              ),
              denied,
            ],
          ];
          for (const [what, outcome, expected] of tried)
            expect([word, subject, what, outcome]).toEqual([word, subject, what, expected]);
        }
      });
    }
  });

  test('reads, acknowledges and buries the messages of its own consumer only, and deletes none that another waits for', async () => {
    const { rows: before } = await at(adminUrl, (client) => client.query('select * from bus.messages order by seq'));
    for (const word of words) {
      await asLogin(word, async (client) => {
        for (const topic of kept) {
          const subject = subjectOf(topic);
          const isConsumer = topicsOf(word).consumed.includes(topic);
          const count = async (text: string, values: readonly unknown[] = [subject]) => {
            const outcome = await outcomeOf(client.query(text, [...values]));
            return outcome === denied ? 0 : Number.parseInt(outcome, 10);
          };
          const reads = await count('select 1 from bus.messages where subject = $1');
          expect([word, subject, reads > 0]).toEqual([word, subject, isConsumer]);
          expect(await count('delete from bus.messages where subject = $1')).toBe(0);
          await count('select bus.trim($1)');
          for (const durable of durablesOf(topic)) {
            const name = [subject, durable];
            const where = 'where subject = $1 and durable = $2';
            const changed = [
              await count(`update bus.durables set holder = gen_random_uuid() ${where}`, name),
              await count(`update bus.dead_letters set replay = true ${where}`, name),
              await count(`delete from bus.dead_letters ${where}`, name),
              await count(
                `insert into bus.dead_letters (subject, durable, seq, id, sender, payload, reason) values ($1, $2, 1, '', '', '', '')`,
                name,
              ),
            ];
            const expected = isConsumer && durable === word ? 1 : 0;
            expect([word, ...name, changed]).toEqual([word, ...name, [expected, expected, expected, expected]]);
          }
        }
      });
    }
    const { rows: after } = await at(adminUrl, (client) => client.query('select * from bus.messages order by seq'));
    expect(after).toEqual(before);
  });
});
