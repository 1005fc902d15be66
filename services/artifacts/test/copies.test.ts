import { expect, test } from 'vitest';
import { newKey, openArtifacts, saveText, versions } from './open-artifacts.ts';

test('a copy up to the largest number that an event can name has all versions, and is the same when it is repeated', async () => {
  await using service = await openArtifacts();
  const { client } = service;
  const key = newKey();
  for (const text of ['one', 'two']) await saveText(client, key, text);
  const { name, ...session } = key;
  const copy = { ...session, toSessionId: 'copy', artifacts: [{ name, version: 2 ** 31 - 1 }] };
  for (const _ of ['new', 'repeated']) await client.copyArtifacts(copy);
  const copied = await versions(client, { ...key, sessionId: 'copy' });
  expect(copied.map(({ version }) => version)).toEqual([0, 1]);
});
