import { ownDatabase, withOwner } from './owner-client.ts';

/**
 * Takes from the database what PostgreSQL gives to every login of the server: to connect, to make temporary tables, and before PostgreSQL 15 to make tables in the
 * schema public. Does nothing, as PostgreSQL answers with a warning, where the login at `url` owns neither.
 */
export async function closeToOthers(url: string): Promise<void> {
  await withOwner(url, async (client) => {
    await client.query(`revoke connect, temporary on database ${await ownDatabase(client)} from public`);
    const { rowCount } = await client.query(`select from pg_namespace where nspname = 'public'`);
    if (rowCount !== 0) await client.query('revoke create on schema public from public');
  });
}
