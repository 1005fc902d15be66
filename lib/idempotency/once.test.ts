import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { forgetKeys, keyedHeaders } from './index.ts';
import { KeyedNotes, type Sent, type Wrapper } from './testing/keyed-notes.ts';

let notes: KeyedNotes;

beforeAll(async () => {
  notes = await KeyedNotes.open();
});
afterAll(() => notes[Symbol.asyncDispose]());

describe.each<Wrapper>(['once', 'onceAtCommit'])('%s', (wrapper) => {
  const send = (sent: Sent) => notes.send(wrapper, sent);

  test('a repeated call gets the answer of the first one, and has no second effect', async () => {
    const accountId = randomUUID();
    const first = await send({ accountId, key: 'k' });
    expect(first.already).toBe(false);
    expect(await send({ accountId, key: 'k' })).toEqual({ id: first.id, already: true });
    expect(await notes.notesOf(accountId)).toEqual([first.id]);
  });

  test('calls at the same time wait for the first one, and get its answer', async () => {
    const accountId = randomUUID();
    const answers = await Promise.all(Array.from({ length: 12 }, () => send({ accountId, key: 'k' })));
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
    expect(answers.filter(({ already }) => !already)).toHaveLength(1);
    expect(await notes.notesOf(accountId)).toHaveLength(1);
  });

  test('another request with the key is refused, and another account may use it', async () => {
    const accountId = randomUUID();
    await send({ accountId, key: 'k' });
    const reused = { code: 'failed_precondition', reason: 'idempotency_key_reused' };
    await expect(send({ accountId, key: 'k', text: 'other' })).rejects.toMatchObject(reused);
    const other = randomUUID();
    await send({ accountId: other, key: 'k', text: 'other' });
    expect(await notes.notesOf(other)).toHaveLength(1);
  });

  test('a call that fails after its effect leaves neither the effect nor the key', async () => {
    const accountId = randomUUID();
    const afterEffect = () => Promise.reject(new Error('the process dies'));
    await expect(send({ accountId, key: 'k', afterEffect })).rejects.toThrow('the process dies');
    expect(await notes.notesOf(accountId)).toEqual([]);
    expect((await send({ accountId, key: 'k' })).already).toBe(false);
    expect(await notes.notesOf(accountId)).toHaveLength(1);
  });

  test('a connection that dies before the commit leaves neither; those that wait for it go on, one of them with the effect', async () => {
    const accountId = randomUUID();
    let others: Promise<unknown>[] = [];
    const afterEffect = async (): Promise<void> => {
      others = Array.from({ length: 4 }, () => send({ accountId, key: 'k' }).catch(() => undefined));
      await notes.endTransactions();
    };
    await expect(send({ accountId, key: 'k', afterEffect })).rejects.toMatchObject({ code: 'unavailable' });
    await Promise.all(others);
    const last = await send({ accountId, key: 'k' });
    expect(await notes.notesOf(accountId)).toEqual([last.id]);
  });

  test.each([undefined, 'k'])('nothing is stored for a caller who has left, key %s', async (key) => {
    const accountId = randomUUID();
    const left = send({ accountId, signal: AbortSignal.abort(), ...(key !== undefined && { key }) });
    await expect(left).rejects.toMatchObject({ code: 'canceled' });
    expect(await notes.notesOf(accountId)).toEqual([]);
  });

  test('answers are kept up to 256 MiB for each account, also by 250 calls at the same time; then keys are refused, and nothing is done', async () => {
    const accountId = randomUUID();
    // The row and the sealed answer of a call have less than 400 bytes.
    await notes.fill(accountId, 256 * 1024 * 1024 - 3 * 400);
    const all = await Promise.allSettled(
      Array.from({ length: 250 }, (_, key) => send({ accountId, key: String(key) })),
    );
    const refused = all.filter(({ status }) => status === 'rejected');
    expect(refused[0]).toMatchObject({ reason: { code: 'resource_exhausted', reason: 'idempotency_answers_full' } });
    expect(await notes.notesOf(accountId)).toHaveLength(250 - refused.length);
    expect([3, 4]).toContain(250 - refused.length);
    expect((await send({ accountId })).already).toBe(false);
    expect((await send({ accountId: randomUUID(), key: 'of another' })).already).toBe(false);
    await notes.age(accountId, 26);
    expect((await send({ accountId, key: 'a day later' })).already).toBe(false);
    await forgetKeys(notes.db);
    const counted = { text: 'select bytes from idempotency_bytes where account_id = $1' };
    expect(await notes.db.query(counted, [accountId])).toHaveLength(1);
  });

  test('calls without a key are independent', async () => {
    const accountId = randomUUID();
    await send({ accountId });
    await send({ accountId });
    expect(await notes.notesOf(accountId)).toHaveLength(2);
  });

  test('the answer rests encrypted, and the key does not rest at all', async () => {
    const accountId = randomUUID();
    const { id } = await send({ accountId, key: 'a key of the client' });
    const [row] = await notes.db.query<{ answer: Buffer; all: string }>(
      { text: 'select answer, idempotency_keys::text as all from idempotency_keys where account_id = $1' },
      [accountId],
    );
    expect(row?.answer.includes(id)).toBe(false);
    const sent = keyedHeaders({ key: 'a key of the client', route: 'POST /notes', content: [] });
    const secret = sent['mesh-idempotency-key'] ?? '';
    expect(row?.all).not.toContain(Buffer.from(secret, 'base64url').toString('hex'));
  });

  test('a key is free after 24 hours, whether or not it was deleted, and one of two calls takes it', async () => {
    const accountId = randomUUID();
    const first = await send({ accountId, key: 'k' });
    await notes.age(accountId, 23);
    await forgetKeys(notes.db);
    expect(await send({ accountId, key: 'k' })).toEqual({ id: first.id, already: true });
    await notes.age(accountId, 2);
    const texts = ['one', 'two', 'one', 'two'];
    const answers = await Promise.allSettled(texts.map((text) => send({ accountId, key: 'k', text })));
    const won = answers.filter(({ status }) => status === 'fulfilled');
    expect(won).toHaveLength(2);
    expect(won.filter((answer) => answer.status === 'fulfilled' && answer.value.already)).toHaveLength(1);
    expect(await notes.notesOf(accountId)).toHaveLength(2);
    await notes.age(accountId, 25);
    await forgetKeys(notes.db);
    const rows = { text: 'select 1 from idempotency_keys where account_id = $1' };
    expect(await notes.db.query(rows, [accountId])).toEqual([]);
  });
});

test('a key that both wrappers use belongs to one call', async () => {
  const accountId = randomUUID();
  const both: Wrapper[] = ['once', 'onceAtCommit', 'once', 'onceAtCommit'];
  const answers = await Promise.all(both.map((wrapper) => notes.send(wrapper, { accountId, key: 'k' })));
  expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  expect(await notes.notesOf(accountId)).toHaveLength(1);
});
