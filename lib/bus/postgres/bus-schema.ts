import pg from 'pg';
import { limitSettings, WatchedClient, whenUnlocked, withSessionSettings } from '../../pg/index.ts';
import { busUnavailable } from '../driver/index.ts';

/** Raised with each change of `CREATE`. A process works with the schema of a later release, so that releases can be rolled back. */
const VERSION = 3;

/** Two processes created the schema, or a table of it, at the same time. */
const RACES = new Set(['42710', '42P06', '42P07', '23505', 'XX000']);
const mostRaces = 20;

/**
 * A durable consumer whose service does not run keeps messages for three days, and at most a million of them. Without any durable consumer nobody waits for a message. Up to which message a topic is deleted is found
 * without a look at those that stay, because every consumer asks for it again and again.
 */
const TRIM = `
      delete from bus.messages where subject = topic and seq = any(array(
        select seq from bus.messages where subject = topic and seq <= greatest(
          coalesce(
            (select min(coalesce((select min(key::bigint) - 1 from jsonb_object_keys(open) key), position))
               from bus.durables where subject = topic),
            (select max(seq) from bus.messages where subject = topic)),
          (select max(seq) from (
             select seq, created_at from bus.messages where subject = topic order by seq limit 1000
           ) oldest where created_at < now() - interval '3 days'),
          -- Numbers are given to the messages of all topics: so many are counted only where they may be there.
          case when (select max(seq) - min(seq) from bus.messages where subject = topic) >= 1000000 then
            (select seq from bus.messages where subject = topic order by seq desc offset 1000000 limit 1) end
        ) order by seq limit 50000
      ))
    `;

/**
 * Makes the order of seq the order of commits among the messages of a subject, so that a consumer misses nothing below the seq it has read: who adds one holds the row of
 * its subject until the transaction ends, and takes the number afterwards. The row belongs to the owner of the tables. A login that may not publish the subject
 * holds it only until its statement has failed.
 */
const NUMBER = `
      begin
        perform from bus.subjects where subject = new.subject for update;
        if not found then
          insert into bus.subjects values (new.subject) on conflict do nothing;
          perform from bus.subjects where subject = new.subject for update;
        end if;
        new.seq := nextval('bus.messages_seq_seq');
        return new;
      end
    `;

/**
 * The owner of the tables may do everything. The logins of services get their rights from `grantBusRights`: row-level security shows and takes only what their
 * policies name.
 */
const CREATE = `
  create schema if not exists bus;
  create table if not exists bus.messages (
    subject text not null,
    seq bigint generated always as identity,
    id text not null,
    sender text not null,
    traceparent text,
    payload bytea not null,
    created_at timestamptz not null default now(),
    primary key (subject, seq)
  );
  create table if not exists bus.durables (
    subject text not null,
    durable text not null,
    -- Every message up to here is acknowledged, but those in open.
    position bigint not null default 0,
    -- By seq: how many deliveries of the message were begun to be handled.
    open jsonb not null default '{}',
    -- The process that gets the messages, until then.
    holder uuid,
    lease_until timestamptz not null default '-infinity',
    primary key (subject, durable)
  );
  create table if not exists bus.dead_letters (
    subject text not null,
    durable text not null,
    seq bigint not null,
    id text not null,
    sender text not null,
    traceparent text,
    payload bytea not null,
    reason text not null,
    died_at timestamptz not null default now(),
    replay boolean not null default false,
    primary key (subject, durable, seq)
  );
  create table if not exists bus.subjects (subject text primary key);
  create table if not exists bus.locks (name text primary key);
  insert into bus.locks values ('preparation') on conflict do nothing;
  create or replace function bus.number_message() returns trigger
    language plpgsql security definer set search_path = pg_catalog, pg_temp
    as $number$${NUMBER}$number$;
  create or replace trigger number_message before insert on bus.messages for each row execute function bus.number_message();
  create or replace function bus.trim(topic text) returns void
    language sql security definer set search_path = pg_catalog, pg_temp set enable_seqscan = off
    as $trim$${TRIM}$trim$;
  comment on function bus.trim(text) is 'version ${VERSION}';
  alter table bus.messages enable row level security;
  alter table bus.durables enable row level security;
  alter table bus.dead_letters enable row level security;
  revoke all on schema bus from public;
  revoke all on all tables in schema bus from public;
  revoke all on all functions in schema bus from public`;

/**
 * Creates the tables of the bus in a database, unless they are up to date. Several processes may do it at once. Throws `unavailable` when PostgreSQL cannot be
 * reached, and when the login may neither create nor change the schema: then `npm start -- migrate` has to run once.
 */
export async function prepareBusSchema(url: string): Promise<void> {
  const client = new WatchedClient({ connectionString: withSessionSettings(url, limitSettings()) });
  try {
    await client.connect();
    if (await isPrepared(client)) return;
    await create(client);
  } catch (cause) {
    const isRefused = cause instanceof pg.DatabaseError && cause.code === '42501';
    const message = isRefused
      ? 'The login may not prepare the schema bus: run `npm start -- migrate`.'
      : 'The bus cannot be reached.';
    throw busUnavailable(cause, message);
  } finally {
    await client.end();
  }
}

/** The lock is a row of the schema, so nothing but PostgreSQL's own checks guards its creation. */
async function create(client: pg.Client): Promise<void> {
  for (let race = 1; ; race += 1) {
    try {
      return await whenUnlocked(client, async () => {
        if (!(await isPrepared(client))) await client.query(CREATE);
      });
    } catch (error) {
      if (!(error instanceof pg.DatabaseError && RACES.has(error.code ?? '')) || race === mostRaces) throw error;
    }
  }
}

/** Makes other changes of rights wait until the transaction of this client ends. */
export async function lockBusSchema(client: pg.Client): Promise<void> {
  await client.query(`select from bus.locks where name = 'preparation' for update`);
}

/** Looks into the catalog, which every login may read. A function without a comment is of no version. A backup that was restored without rights opens the functions to every login. */
async function isPrepared(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `select exists (select from pg_proc where proname = 'trim' and pronamespace = to_regnamespace('bus')
      and coalesce(substring(obj_description(oid, 'pg_proc') from '[0-9]+')::integer, 0) >= $1
      and not has_function_privilege('public', oid, 'EXECUTE')) as present`,
    [VERSION],
  );
  return rows[0]?.present === true;
}
