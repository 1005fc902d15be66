import { join } from 'node:path';
import { openDatabase } from '@agentmesh/lib/pg';
import { parseSettings } from '@agentmesh/lib/service';
import { createLogger } from '@agentmesh/lib/telemetry';
import { Usage } from '@agentmesh/lib/usage';
import { expect, test } from 'vitest';
import { settings } from '../src/config.ts';
import type { Context } from '../src/context.ts';
import { openDirectoryStore } from '../src/blobs/directory-store.ts';
import { eraseArtifacts } from '../src/erase-artifacts.ts';
import { saveArtifact } from '../src/rpc/save-artifact.ts';
import { newKey, openArtifacts, requestsOf, saveText, type TestArtifacts } from './open-artifacts.ts';

const log = createLogger({ level: 'silent', name: 'test' });
const migrations = new URL('../migrations/', import.meta.url);
const openOwn = ({ databaseUrl: url }: TestArtifacts) =>
  openDatabase({ service: 'artifacts', url, poolSize: 3, migrations }, log);

test('sums that a replica writes while an account is erased are erased too', async () => {
  await using service = await openArtifacts();
  const { accountId, ...key } = newKey();
  await saveText(service.client, { accountId, ...key }, 'text');
  await using db = await openOwn(service);
  const usage = new Usage<'artifacts'>({ db, heldBy: ['artifacts'] });
  usage.add(accountId, { artifacts: 1 });
  const blobs = await openDirectoryStore(join(service.folder, 'artifacts'));
  // Before the commit the replica still sees the rows of the account.
  await eraseArtifacts({ db, blobs }, accountId, () => usage.sync());
  expect(await service.rows(`select kind from usage where account_id = '${accountId}'`)).toEqual([]);
});

test('a save that takes long stores nothing when its account was deleted and erased meanwhile', async () => {
  await using service = await openArtifacts();
  await using db = await openOwn(service);
  const blobs = await openDirectoryStore(join(service.folder, 'artifacts'));
  const usage = new Usage<'artifacts' | 'bytes'>({ db, heldBy: ['artifacts'] });
  const key = newKey();
  let isDeleted = true;
  const auth = { checkErasure: async () => ({ isDeleted }) } as unknown as Context['auth'];
  const context = { config: parseSettings(settings, {}), db, auth, blobs, log, usage };
  const call = { requestHeader: new Headers(), signal: new AbortController().signal, timeoutMs: () => undefined };
  const saved = () => saveArtifact(context, 0)(requestsOf(key, Buffer.alloc(300_000)) as never, call as never);
  await expect(saved()).rejects.toMatchObject({ reason: 'caller_gone' });
  expect([await service.files(), await service.rows('select from payloads')]).toEqual([[], []]);
  isDeleted = false;
  await saved();
  expect(await service.files()).toHaveLength(1);
});
