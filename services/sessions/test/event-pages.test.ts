import { randomUUID } from 'node:crypto';
import type { StoredEvent } from '@agentmesh/proto/sessions/v1';
import { describe, expect, test } from 'vitest';
import { agentEvent, newKey, parse, startSessionsForFile, textOf } from './sessions.ts';

const service = startSessionsForFile();

type Key = ReturnType<typeof newKey>;

async function createWith(count: number, text: (index: number) => string = String): Promise<Key> {
  const session = newKey();
  const events = Array.from({ length: count }, (_, index) => agentEvent('e-1', text(index)));
  await service.client.createSession({ session, events });
  return session;
}

/** Every page from the first to the last. */
async function readPages(session: Key, over: { limit?: number; newestFirst?: boolean }): Promise<StoredEvent[][]> {
  const pages: StoredEvent[][] = [];
  for (let afterSeq = 0, more = true; more; ) {
    const page = await service.client.listEvents({ session, ...over, afterSeq });
    pages.push(page.events);
    more = page.more;
    afterSeq = page.events.at(-1)?.seq ?? 0;
  }
  return pages;
}

describe('a page of events', () => {
  test.each([
    ['from the first', false, ['0', '1', '2', '3', '4', '5', '6']],
    ['from the newest', true, ['6', '5', '4', '3', '2', '1', '0']],
  ])('follows the page before it, %s, and the last says so', async (_, newestFirst, wanted) => {
    const session = await createWith(7);
    const pages = await readPages(session, { limit: 3, newestFirst });
    expect(pages.map((page) => page.length)).toEqual([3, 3, 1]);
    expect(pages.flat().map((event) => textOf(parse(event.json)))).toEqual(wanted);
  });

  test('has the id, author and invocation of each event beside its JSON', async () => {
    const session = await createWith(1);
    const { events, lastSeq } = await service.client.listEvents({ session });
    const [event] = events;
    const { id, author, invocationId, timestamp } = parse(event?.json ?? new Uint8Array());
    expect(event).toMatchObject({ seq: 1, id, author, invocationId, timestamp });
    expect(lastSeq).toBe(1);
  });

  test('has a handle of the session that a new session with its id does not have', async () => {
    const session = await createWith(1);
    const before = await service.client.listEvents({ session });
    expect((await service.client.listEvents({ session, afterSeq: 1 })).sessionPk).toBe(before.sessionPk);
    await service.client.deleteSession({ session });
    await service.client.createSession({ session });
    expect((await service.client.listEvents({ session })).sessionPk).not.toBe(before.sessionPk);
  });

  test('ends with the event that fills 4 MiB, so that no page of large events is too large to send', async () => {
    const session = await createWith(6, () => 'é'.repeat(900_000));
    const pages = await readPages(session, {});
    expect(pages.map((page) => page.length)).toEqual([3, 3]);
    const single = await createWith(2, () => 'x'.repeat(6_000_000));
    expect((await readPages(single, { newestFirst: true })).map((page) => page.length)).toEqual([1, 1]);
  });

  test('of a session without events is empty, and no page follows', async () => {
    const session = await createWith(0);
    for (const newestFirst of [false, true]) {
      expect(await service.client.listEvents({ session, newestFirst })).toMatchObject({
        events: [],
        more: false,
        lastSeq: 0,
      });
    }
  });

  test('includes events that are appended while the pages are read', async () => {
    const session = await createWith(2);
    const first = await service.client.listEvents({ session, limit: 2 });
    expect(first.more).toBe(false);
    await service.client.patchSession({ session, stateDeltaJson: Buffer.from('{}') });
    const next = await service.client.listEvents({ session, afterSeq: 2 });
    expect(next.events.map(({ seq, author }) => [seq, author])).toEqual([[3, 'user']]);
  });

  test('of an unknown session, or one of another account, is not found', async () => {
    const session = await createWith(1);
    for (const key of [newKey(), { ...session, accountId: randomUUID() }, { ...session, userId: '' }]) {
      await expect(service.client.listEvents({ session: key })).rejects.toMatchObject({ reason: 'session_not_found' });
    }
  });

  test.each([
    ['more entries than a page holds', { limit: 501 }],
    ['fewer than none', { limit: -1 }],
    ['a negative sequence', { afterSeq: -1 }],
  ])('refuses %s', async (_, over) => {
    const session = await createWith(0);
    const read = service.client.listEvents({ session, ...over });
    await expect(read).rejects.toMatchObject({ code: 'invalid_argument' });
  });
});
