import { comparePlans, recordStatements } from '@agentmesh/lib/pg/testing';
import { expect, test } from 'vitest';
import { newKey, search, startMemory, type TestMemory } from './memory.ts';

/** Sends the statements of adding, searching, listing and deleting. */
async function useMemory(service: TestMemory): Promise<void> {
  const session = newKey();
  service.sessions.say(session, 'the cat sat on the mat', 'a boat came by');
  await service.client.addSession({ session });
  service.sessions.say(session, 'and left');
  await service.client.addSession({ session });
  await service.client.listEntries({ memory: session, sessionId: session.sessionId });
  await service.client.listMemories({ accountId: session.accountId });
  await search(service, session, 'cat boat');
  const { entries } = await service.client.listEntries({ memory: session });
  await service.client.deleteEntry({ memory: session, entryId: entries[0]?.id ?? '' });
  service.sessions.forget(session);
  service.sessions.say(session, 'another session of the same id');
  await service.client.addSession({ session });
  await service.client.deleteEntries({ memory: session });
}

const isOwn = (text: string): boolean => /\b(partitions|sources|entries|postings|vectors)\b/.test(text);

test('every statement has one plan: on an empty database without statistics the same as on full, analyzed tables', async () => {
  await using service = await startMemory();
  using recorded = recordStatements();
  await useMemory(service);
  const texts = new Map([...recorded.texts].filter(([, text]) => isOwn(text)));
  expect(texts.size).toBeGreaterThanOrEqual(12);
  await using fresh = await startMemory();
  const { plans, differing, scanning } = await comparePlans({ url: fresh.databaseUrl, schema: 'memory' }, texts);
  expect({ differing, scanning }).toEqual({ differing: [], scanning: [] });
  // Not by its memory alone: each would read what all sessions of the memory have.
  const byTerm = expect.stringMatching(/postings_pkey: .*term = .*chunk = /) as string;
  const ofPostings = plans.filter(({ name }) => ['select-postings', 'delete-postings'].includes(name));
  expect(ofPostings.map(({ empty }) => empty)).toEqual([
    expect.arrayContaining([byTerm]),
    expect.arrayContaining([byTerm]),
  ]);
});
