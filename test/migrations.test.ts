import { readdirSync } from 'node:fs';
import { checkMigrations, testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';

/** Files from before this check, which cannot be changed. A new file builds indexes of grown tables concurrently, in a file of its own. */
const earlier = new Set([
  'auth/0011-retain-audit.sql',
  'runs/0003-add-notices-without-runs.sql',
  'sessions/0002-order-sessions.sql',
  'sessions/0005-read-runs.sql',
  'sessions/0007-find-runs.sql',
  'webhooks/0002-create-logs.sql',
  'webhooks/0004-create-reading-leases.sql',
]);

const services = readdirSync(new URL('../services/', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name, parentPath }) => ({ name, has: readdirSync(`${parentPath}/${name}`) }))
  .filter(({ has }) => has.includes('migrations'))
  .map(({ name }) => name);

test.each(services)('no migration of %s rewrites a table or keeps its writers waiting', async (service) => {
  const folder = new URL(`../services/${service}/migrations/`, import.meta.url);
  await using database = await testDatabaseUrl();
  const found = await checkMigrations(database.url, folder);
  expect(found.filter((line) => !earlier.has(`${service}/${line.split(':')[0]}`))).toEqual([]);
});
