import { durablesOf, subjectOf, topicsOf } from '@agentmesh/lib/bus';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { topics } from '@agentmesh/proto/topics';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { words } from './deployed-settings.ts';
import { prepareLogins } from './prepare-logins.ts';

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
