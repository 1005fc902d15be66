import { closeRights, openRights } from './public-rights.ts';
import { ownDatabase, withOwner } from './owner-client.ts';
import { strangersIn } from './schema-rights.ts';

/**
 * Takes from the database what PostgreSQL gives to every login of the server: to connect, to make temporary tables, before PostgreSQL 15 to make tables in the
 * schema public, and the rights of `publicRights`. Does nothing, as PostgreSQL answers with a warning, where the login at `url` owns none of them. Returns what every
 * login of the database may still do: a superuser alone can take the rights on PostgreSQL's own functions.
 */
export async function closeToOthers(url: string): Promise<string[]> {
  return withOwner(url, async (client) => {
    await client.query(`revoke connect, temporary on database ${await ownDatabase(client)} from public`);
    const { rowCount } = await client.query(`select from pg_namespace where nspname = 'public'`);
    if (rowCount !== 0) await client.query('revoke create on schema public from public');
    const isSuperuser = 'select from pg_roles where rolname = current_user and rolsuper';
    if ((await client.query(isSuperuser)).rowCount !== 0) await client.query(closeRights);
    const { rows } = await client.query<{ what: string }>(openRights);
    return rows.map(({ what }) => what);
  });
}

/** Takes all rights on schemas, and on what is in them, from the given logins, which belong to other services, and from every login. Does nothing where they may not use the schema. */
export async function closeSchemas(url: string, schemas: readonly string[], others: readonly string[]): Promise<void> {
  await withOwner(url, async (client) => {
    for (const schema of schemas) {
      const { rows } = await client.query<{ grantee: string }>(strangersIn, [schema, others]);
      for (const { grantee } of rows) {
        await client.query(`revoke all on schema ${schema} from ${grantee};
          revoke all on all tables in schema ${schema} from ${grantee};
          revoke all on all sequences in schema ${schema} from ${grantee}`);
      }
    }
  });
}
