import { randomBytes } from 'node:crypto';
import { makeSecrets } from '@agentmesh/lib/service';
import { words } from './deployed-settings.ts';
import { migrateHere } from './start/migrate-here.ts';
import { runMain } from './start/run-main.ts';

/** Does what `npm start -- migrate` does in a database, that of this repository or of another folder, and returns the setting by which each service reaches it with its own login. */
export async function prepareLogins(
  databaseUrl: string,
  root?: string,
): Promise<(word: string) => { DATABASE_URL: string }> {
  const urls = newLogins(databaseUrl);
  const env = { ...urls, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' };
  const { code, output } = await (root === undefined ? migrateHere([], env) : runMain(['migrate'], env, root));
  if (code !== 0) throw new Error(output);
  return (word) => ({ DATABASE_URL: urls[`${word.toUpperCase()}_DATABASE_URL`] ?? '' });
}

/** Settings of logins that do not exist yet, as `prepareLogins` returns them. */
export function loginsOf(databaseUrl: string): (word: string) => { DATABASE_URL: string } {
  const urls = newLogins(databaseUrl);
  return (word) => ({ DATABASE_URL: urls[`${word.toUpperCase()}_DATABASE_URL`] ?? '' });
}

function newLogins(databaseUrl: string): Record<string, string> {
  const secrets = Object.entries(makeSecrets(words, databaseUrl)).filter(([name]) => name.endsWith('_DATABASE_URL'));
  // Logins belong to the server, which several databases of tests share.
  const mark = randomBytes(4).toString('hex');
  return Object.fromEntries(secrets.map(([name, url]) => [name, url.replace('_login:', `_login_${mark}:`)]));
}
