import { join } from 'node:path';
import { openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { Usage } from '@agentmesh/lib/usage';
import { expect, test } from 'vitest';
import { openDirectoryStore } from '../src/blobs/directory-store.ts';
import { eraseArtifacts } from '../src/erase-artifacts.ts';
import { newKey, openArtifacts, saveText } from './open-artifacts.ts';

test('sums that a replica writes while an account is erased are erased too', async () => {
  await using service = await openArtifacts();
  const { accountId, ...key } = newKey();
  await saveText(service.client, { accountId, ...key }, 'text');
  const options = { service: 'artifacts', poolSize: 3, migrations: new URL('../migrations/', import.meta.url) };
  const log = createLogger({ level: 'silent', name: 'test' });
  await using db = await openDatabase({ ...options, url: service.databaseUrl }, log);
  const usage = new Usage<'artifacts'>({ db, heldBy: ['artifacts'] });
  usage.add(accountId, { artifacts: 1 });
  const blobs = await openDirectoryStore(join(service.folder, 'artifacts'));
  // Before the commit the replica still sees the rows of the account.
  await eraseArtifacts({ db, blobs }, accountId, () => usage.sync());
  expect(await service.rows(`select kind from usage where account_id = '${accountId}'`)).toEqual([]);
});
