import pg from 'pg';
import { MeshError } from '../../rpc/index.ts';

/** Advisory lock of the preparation, in its database. */
const PREPARE_LOCK = 0x61676d62; // 'agmb'
const CONNECT_TIMEOUT_MS = 5_000;

/** Every login may use the tables, as it may NOTIFY: a message proves nothing, and its receiver asks the owner of the fact. */
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
    -- By seq: how often the message was delivered.
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
  grant usage on schema bus to public;
  grant select, insert, update, delete on all tables in schema bus to public`;

/**
 * Creates the tables of the bus in a database, unless they exist. Several processes may do it at once. Throws an error that names the missing right when the
 * login may not create a schema: then somebody who may has to start the mesh once, or run this.
 */
export async function prepareBusSchema(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: CONNECT_TIMEOUT_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    if (await isPrepared(client)) return;
    await client.query('select pg_advisory_lock($1)', [PREPARE_LOCK]);
    if (!(await isPrepared(client))) await client.query(`begin; ${CREATE}; commit`);
  } catch (cause) {
    const isRefused = cause instanceof pg.DatabaseError && cause.code === '42501';
    const message = isRefused ? 'The login may not create the schema bus.' : 'The bus cannot be reached.';
    throw new MeshError('unavailable', 'bus_unavailable', message, { cause });
  } finally {
    await client.end();
  }
}

async function isPrepared(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query<{ present: boolean }>(
    `select to_regclass('bus.dead_letters') is not null as present`,
  );
  return rows[0]?.present === true;
}
