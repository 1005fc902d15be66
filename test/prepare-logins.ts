import { randomBytes } from 'node:crypto';
import { makeSecrets } from '@agentmesh/lib/service';
import { words } from './deployed-settings.ts';
import { runMain } from './start/run-main.ts';

/** Runs `npm start -- migrate` in a database, and returns the setting by which each service reaches it with its own login. */
export async function prepareLogins(databaseUrl: string): Promise<(word: string) => { DATABASE_URL: string }> {
  const secrets = Object.entries(makeSecrets(words, databaseUrl)).filter(([name]) => name.endsWith('_DATABASE_URL'));
  // Logins belong to the server, which several databases of tests share.
  const mark = randomBytes(4).toString('hex');
  const urls = Object.fromEntries(secrets.map(([name, url]) => [name, url.replace('_login:', `_login_${mark}:`)]));
  const { code, output } = await runMain(['migrate'], { ...urls, DATABASE_URL: databaseUrl, LOG_LEVEL: 'silent' });
  if (code !== 0) throw new Error(output);
  return (word) => ({ DATABASE_URL: urls[`${word.toUpperCase()}_DATABASE_URL`] ?? '' });
}
