import { afterAll, beforeAll, expect, test } from 'vitest';
import { load, newKey, openArtifacts, saveText, type TestArtifacts } from './open-artifacts.ts';

let service: TestArtifacts;
beforeAll(async () => {
  service = await openArtifacts();
});
afterAll(() => service[Symbol.asyncDispose]());

test('the keys of all artifacts of an account are told page by page, each once, and those of no other account', async () => {
  const { accountId } = newKey();
  const keys = [
    newKey({ accountId, sessionId: '-', name: 'user:plan.txt' }),
    newKey({ accountId, name: 'a.txt' }),
    newKey({ accountId, name: 'b/ü.txt' }),
    newKey({ accountId, sessionId: 's2', name: 'a.txt' }),
    newKey({ accountId, userId: 'u2', name: 'a.txt' }),
  ];
  for (const key of [...keys.toReversed(), newKey({ name: 'a.txt' })]) await saveText(service.client, key, 'text');
  const found: ReturnType<typeof newKey>[] = [];
  for (let after: ReturnType<typeof newKey> | undefined; ; after = found.at(-1)) {
    const page = await service.client.listArtifactKeys({ accountId, limit: 2, ...(after && { after }) });
    found.push(...page.keys);
    if (page.keys.length < 2) break;
  }
  expect(found).toMatchObject(keys);
  expect(found).toHaveLength(keys.length);
  for (const key of found) expect(await load(service.client, key)).toMatchObject({ text: 'text' });
  const tooMany = service.client.listArtifactKeys({ accountId, limit: 501 });
  await expect(tooMany).rejects.toMatchObject({ reason: 'request_invalid' });
});
