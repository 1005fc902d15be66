import { explainStatements, recordStatements } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { load, names, newKey, openArtifacts, save, saveText, type TestArtifacts, versions } from './open-artifacts.ts';

/** Calls every RPC in the ways that send different statements. */
async function callEverything(service: TestArtifacts): Promise<void> {
  const { client } = service;
  const key = newKey();
  const large = newKey({ ...key, name: 'large.bin' });
  await saveText(client, key, 'one');
  await saveText(client, key, 'two');
  await saveText(client, newKey({ ...key, name: 'user:mine' }), 'three');
  for (const _ of [1, 2]) await save(client, large, Buffer.alloc(300_000, 1));
  await load(client, key);
  await load(client, large, { version: 0 });
  await versions(client, key);
  await names(client, key);
  await client.getVersion({ key, version: 0 });
  const { accountId, appName, userId, sessionId, name } = key;
  const session = { accountId, appName, userId, sessionId };
  await client.restoreVersions({ ...session, artifacts: [{ name, version: 0 }] });
  const copy = { ...session, toSessionId: 'copy', artifacts: [{ name, version: 1 }] };
  for (const _ of ['new', 'repeated']) await client.copyArtifacts(copy);
  await client.listArtifactKeys({ accountId: key.accountId });
  await client.deleteArtifact({ key });
  await client.deleteArtifact({ key: large });
  await service.settle();
}

/** Many rows in every table: twenty accounts with a thousand artifacts each. */
const fill = [
  `insert into artifacts (account_id, app_name, user_id, session_id, name, next_version)
   select md5('a' || n % 20)::uuid, 'app', 'user', 's' || n % 7, 'n' || n, 3 from generate_series(1, 20000) n`,
  `insert into versions (account_id, artifact_pk, version, payload, part, custom_metadata, sha256, size)
   select account_id, pk, n, 'data', '{}', '{}', sha256(name::bytea), 1 from artifacts, generate_series(0, 2) n`,
  `insert into payloads (account_id, sha256, size, refs, bytes)
   select distinct account_id, sha256, 1, 3, 'x'::bytea from versions`,
  `insert into blobs (account_id, id, state) select account_id, gen_random_uuid(), 'live' from artifacts`,
  'analyze',
];

/** Statements of the service's own tables. */
const isOwn = (text: string): boolean =>
  /\b(artifacts|versions|payloads|blobs)\b/.test(text) && !/\$\d+::regclass/.test(text);

test('every statement has one plan: on an empty database without statistics the same as on full, analyzed tables', async () => {
  await using service = await openArtifacts();
  using recorded = recordStatements();
  await callEverything(service);
  const texts = new Map([...recorded.texts].filter(([, text]) => isOwn(text)));
  expect(texts.size).toBeGreaterThanOrEqual(15);
  await using fresh = await openArtifacts();
  const database = { url: fresh.databaseUrl, schema: 'artifacts' };
  const empty = await explainStatements(database, texts);
  for (const text of fill) await fresh.rows(text);
  const full = await explainStatements(database, texts);
  const differing = [...empty].filter(([name, plan]) => JSON.stringify(plan) !== JSON.stringify(full.get(name)));
  expect(differing.map(([name, plan]) => ({ name, empty: plan, full: full.get(name) }))).toEqual([]);
  expect([...full].filter(([, plan]) => plan.some((line) => /Seq Scan|: $/.test(line)))).toEqual([]);
}, 120_000);
