import pg from 'pg';
import { limitSettings, WatchedClient, withSessionSettings } from '../connection/index.ts';
import { toDatabaseError } from '../sending/index.ts';

/** Runs `work` with a connection of the login at `url`, which prepares roles and rights. Throws `unavailable` (reason `database_unavailable`) when it cannot be opened. */
export async function withOwner<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const connectionString = withSessionSettings(url, limitSettings());
  const client = new WatchedClient({ connectionString, application_name: 'agentmesh migrate' });
  // The statement in flight fails with the same error.
  await client.connect().catch((error: unknown) => {
    throw toDatabaseError(error);
  });
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

export async function ownDatabase(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ name: string }>('select current_database() as name');
  return pg.escapeIdentifier(rows[0]?.name ?? '');
}
