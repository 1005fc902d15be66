import type pg from 'pg';
import { whenUnlocked } from '../migrations/index.ts';
import { isRefused, MissingRight } from './missing-right.ts';
import { ownerKeepsUpdates, strangeObjects } from './schema-rights.ts';

/**
 * Gives schemas and everything in them to `role` where another role owns them: a backup that was restored without owners belongs to the login that restored it. Takes from
 * the owner what the first migration took from it, which such a backup does not hold either. Does nothing, without a lock, where all is as it should be. Throws MissingRight when
 * the connecting role may not.
 */
export async function ownAgain(client: pg.Client, schemas: readonly string[], role: string): Promise<void> {
  try {
    for (const schema of schemas) await ownSchemaAgain(client, schema, role);
  } catch (error) {
    if (!isRefused(error)) throw error;
    throw new MissingRight(`may not give what is in ${schemas.join(' and ')} to the role ${role}`);
  }
}

async function ownSchemaAgain(client: pg.Client, schema: string, role: string): Promise<void> {
  const text = 'select nspowner::regrole::text as owner from pg_namespace where nspname = $1';
  const { rows } = await client.query<{ owner: string }>(text, [schema]);
  const isOther = rows.some(({ owner }) => owner !== role);
  const { rows: objects } = await client.query<{ kind: string; name: string }>(strangeObjects, [schema, role]);
  if (isOther || objects.length > 0) {
    await whenUnlocked(client, async () => {
      if (isOther) await client.query(`alter schema ${schema} owner to ${role}`);
      for (const { kind, name } of objects) await client.query(`alter ${kind} ${name} owner to ${role}`);
    });
  }
  const { rows: tables } = await client.query<{ name: string; owner: string }>(ownerKeepsUpdates, [schema]);
  for (const { name, owner } of tables) await client.query(`revoke update, truncate on ${name} from ${owner}`);
}
