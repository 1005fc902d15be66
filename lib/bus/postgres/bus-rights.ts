import pg from 'pg';
import { limitSettings, WatchedClient, whenUnlocked, withSessionSettings } from '../../pg/index.ts';
import { lockBusSchema } from './bus-schema.ts';

/** The rights of a service on the tables of the bus. */
export interface BusRights {
  /** The sender of its messages, and the name of its durable consumers. */
  readonly service: string;
  readonly publishes: readonly {
    readonly subject: string;
    readonly durables: readonly string[];
    /** Durable consumers of an earlier release, which the publisher may remove. */
    readonly former?: readonly string[];
  }[];
  /** Subjects of which it has a durable consumer. */
  readonly consumes: readonly string[];
}

interface GrantOptions {
  /** postgres:// address of the owner of the tables. */
  readonly url: string;
  /** Name of the login that gets the rights. */
  readonly login: string;
  readonly rights: readonly BusRights[];
}

/**
 * Gives a login these rights on the tables of the bus and takes all others away, in one transaction. A policy needs the lock of its table: see `whenUnlocked`.
 *
 * The statements are those of PgStream and PgDurable: a publisher adds messages and durable consumers of its topics, and reads nothing; a consumer reads the
 * messages of its topics, and changes its own progress and dead letters. Only `bus.trim` deletes messages. Durable consumers of an earlier release may be added, which its
 * processes do, and removed with their dead letters.
 */
export async function grantBusRights({ url, login, rights }: GrantOptions): Promise<void> {
  const connectionString = withSessionSettings(url, limitSettings());
  const client = new WatchedClient({ connectionString, application_name: 'agentmesh migrate' });
  await client.connect();
  try {
    await whenUnlocked(client, async () => {
      await lockBusSchema(client);
      await revokeAll(client, login);
      const grantee = { role: pg.escapeIdentifier(login), suffix: await oidOf(client, login) };
      for (const one of rights) for (const statement of statementsOf(grantee, one)) await client.query(statement);
    });
  } finally {
    await client.end();
  }
}

async function revokeAll(client: pg.Client, login: string): Promise<void> {
  const role = pg.escapeIdentifier(login);
  const { rows } = await client.query<{ table: string; name: string }>(
    `select tablename as table, policyname as name from pg_policies where schemaname = 'bus' and $1 = any(roles)`,
    [login],
  );
  for (const { table, name } of rows) await client.query(`drop policy ${pg.escapeIdentifier(name)} on bus.${table}`);
  await client.query(`revoke all on all tables in schema bus from ${role};
    revoke all on all functions in schema bus from ${role};
    revoke all on schema bus from ${role}`);
}

async function oidOf(client: pg.Client, login: string): Promise<string> {
  const { rows } = await client.query<{ oid: string }>('select oid::text from pg_roles where rolname = $1', [login]);
  return rows[0]?.oid ?? '';
}

interface Grantee {
  /** Name of the login as an identifier. */
  readonly role: string;
  /** Makes the names of its policies unique: PostgreSQL cuts long ones. */
  readonly suffix: string;
}

function statementsOf(grantee: Grantee, rights: BusRights): string[] {
  const publishes = rights.publishes.length > 0 ? publisherStatements(grantee, rights) : [];
  const consumes = rights.consumes.length > 0 ? consumerStatements(grantee, rights) : [];
  const all = [...publishes, ...consumes];
  return all.length === 0 ? [] : [`grant usage on schema bus to ${grantee.role}`, ...all];
}

function publisherStatements({ role, suffix }: Grantee, { service, publishes }: BusRights): string[] {
  const subjects = listOf(publishes.map(({ subject }) => subject));
  const former = pairsOf(publishes.map((one) => ({ ...one, durables: one.former ?? [] })));
  const pairs = [...pairsOf(publishes), ...former];
  const policy = `publish_${service}_${suffix}`;
  const retire = `retire_${service}_${suffix}`;
  const retires =
    former.length === 0
      ? []
      : [
          `grant select (subject, durable, lease_until), delete on bus.durables to ${role}`,
          `grant select (subject, durable), delete on bus.dead_letters to ${role}`,
          `grant execute on function bus.trim(text) to ${role}`,
          ...['durables', 'dead_letters'].map(
            (table) =>
              `create policy ${retire} on bus.${table} to ${role} using ((subject, durable) in (${former.join(', ')})) with check (false)`,
          ),
        ];
  return [
    `grant insert (subject, id, sender, traceparent, payload) on bus.messages to ${role}`,
    `grant insert (subject, durable) on bus.durables to ${role}`,
    `create policy ${policy} on bus.messages for insert to ${role}
      with check (sender = ${pg.escapeLiteral(service)} and subject in (${subjects}))`,
    `create policy ${policy} on bus.durables for insert to ${role} with check ((subject, durable) in (${pairs.join(', ')}))`,
    ...retires,
  ];
}

function pairsOf(publishes: readonly { readonly subject: string; readonly durables: readonly string[] }[]): string[] {
  return publishes.flatMap(({ subject, durables }) => durables.map((name) => `(${listOf([subject, name])})`));
}

function consumerStatements({ role, suffix }: Grantee, { service, consumes }: BusRights): string[] {
  const subjects = `subject in (${listOf(consumes)})`;
  const own = `${subjects} and durable = ${pg.escapeLiteral(service)}`;
  const policy = `consume_${service}_${suffix}`;
  return [
    `grant select on bus.messages, bus.durables to ${role}`,
    `grant update (position, open, holder, lease_until) on bus.durables to ${role}`,
    `grant select, insert, update, delete on bus.dead_letters to ${role}`,
    `grant execute on function bus.trim(text) to ${role}`,
    `create policy ${policy} on bus.messages for select to ${role} using (${subjects})`,
    `create policy read_${service}_${suffix} on bus.durables for select to ${role} using (${own})`,
    `create policy ${policy} on bus.durables for update to ${role} using (${own})`,
    `create policy ${policy} on bus.dead_letters to ${role} using (${own})`,
  ];
}

/** The policies that `grantBusRights` gives a login with this oid: `<table> <policy>`. */
export function policiesOf({ service, publishes, consumes }: BusRights, oid: string): string[] {
  const publish = ['messages', 'durables'].map((table) => `${table} publish_${service}_${oid}`);
  const consume = ['messages', 'durables', 'dead_letters'].map((table) => `${table} consume_${service}_${oid}`);
  const retire = ['durables', 'dead_letters'].map((table) => `${table} retire_${service}_${oid}`);
  return [
    ...(publishes.length > 0 ? publish : []),
    ...(publishes.some(({ former = [] }) => former.length > 0) ? retire : []),
    ...(consumes.length > 0 ? [...consume, `durables read_${service}_${oid}`] : []),
  ];
}

function listOf(texts: readonly string[]): string {
  return texts.map((text) => pg.escapeLiteral(text)).join(', ');
}
