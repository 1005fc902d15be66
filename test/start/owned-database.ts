import { makeSecrets } from '@agentmesh/lib/service';
import pg from 'pg';
import { words } from '../deployed-settings.ts';

/** Runs `work` with a connection to `url`. */
export async function at<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Makes a database that belongs to a login with these rights, and returns the login's address. */
export async function ownedDatabase(superuser: string, name: string, rights: string): Promise<string> {
  await at(superuser, async (client) => {
    await client.query(`create role ${name} login password 'of-the-owner' ${rights}`);
    await client.query(`create database ${name} owner ${name}`);
  });
  return addressOf(superuser, { name, password: 'of-the-owner', database: name });
}

interface Place {
  readonly name: string;
  readonly password: string;
  readonly database: string;
}

function addressOf(superuser: string, { name, password, database }: Place): string {
  const url = new URL(superuser);
  [url.username, url.password, url.pathname] = [name, password, `/${database}`];
  return url.href;
}

/** New logins of all services in the database at `url`; their names end with `mark`. */
export function loginsAt(url: string, mark: string): Record<string, string> {
  const secrets = Object.entries(makeSecrets(words, url)).filter(([name]) => name.endsWith('_DATABASE_URL'));
  return Object.fromEntries(secrets.map(([name, address]) => [name, address.replace('_login:', `_${mark}:`)]));
}

/** Services that have a schema. */
export const withSchema = words.filter((word) => !['gateway', 'transcription'].includes(word));
