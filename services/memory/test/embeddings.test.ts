import { type Database, openDatabase } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FakeEmbeddings, startFakeEmbeddings } from '../../../test/fakes/openai-embeddings.ts';
import { json } from '../../../test/fakes/scripted-server.ts';
import { createEmbedder, EmbeddingFailure } from '../src/embeddings/embedder.ts';
import { fromBytes, similarity, toBytes, toUnit } from '../src/embeddings/vector.ts';
import { embedBatch, type EntryBatch } from '../src/jobs/embed-entries.ts';
import { fuse } from '../src/search/fuse.ts';
import { createMeaning } from '../src/search/meaning.ts';
import { findPartition } from '../src/store/partitions.ts';
import { newKey, search, type SessionKey, startMemory, type TestMemory } from './memory.ts';

const apiKey = 'sk-secret-of-the-embeddings';

/** Each group of words is one dimension of the fake's vectors. */
const meanings = [
  ['cat', 'kitten', 'feline'],
  ['boat', 'ship', 'vessel'],
  ['bread', 'loaf'],
];
const vectorOf = (text: string): number[] => [
  ...meanings.map((words) => words.filter((word) => text.includes(word)).length),
  0.01,
];

let fake: FakeEmbeddings;
const resources: AsyncDisposable[] = [];

beforeEach(async () => {
  fake = await startFakeEmbeddings({ apiKey, vectorOf });
  resources.push(fake);
});
afterEach(async () => {
  for (const one of resources.splice(0).toReversed()) await one[Symbol.asyncDispose]();
});

async function start(over: Record<string, string> = {}): Promise<TestMemory> {
  const env = { MEMORY_EMBEDDING_MODEL: 'openai/text-small', OPENAI_BASE_URL: fake.baseUrl, OPENAI_API_KEY: apiKey };
  const service = await startMemory({ ...env, ...over });
  resources.push(service);
  return service;
}

async function remember(service: TestMemory, ...texts: string[]): Promise<SessionKey> {
  const session = newKey();
  service.sessions.say(session, ...texts);
  await service.client.addSession({ session });
  return session;
}

function openOwn({ databaseUrl: url }: TestMemory): Promise<Database> {
  const log = createLogger({ level: 'silent', name: 'test' });
  return openDatabase(
    { service: 'memory', url, poolSize: 2, migrations: new URL('../migrations/', import.meta.url) },
    log,
  );
}

/** All entries of the only memory, as one batch. */
async function batchOf(db: Database): Promise<EntryBatch> {
  const [batch] = await db.query<EntryBatch>({
    text: `select account_id as "accountId", partition_pk::text as "partitionPk", array_agg(place order by place) as places
      from entries group by 1, 2`,
  });
  return batch ?? expect.fail('nothing was added');
}

const attempt = { jobId: '', number: 1, addedAt: new Date(), signal: new AbortController().signal };

describe('with an embedding model', () => {
  test('a search puts entries that match words and meaning first, then those that match only the meaning, and no others', async () => {
    const service = await start();
    const memory = await remember(service, 'my kitten sleeps', 'a ship sails', 'the cat sleeps', 'bread');
    await expect.poll(() => search(service, memory, 'cat')).toEqual(['the cat sleeps', 'my kitten sleeps']);
    await expect.poll(() => search(service, memory, 'vessel')).toEqual(['a ship sails']);
    expect(await search(service, memory, 'nothing of it')).toEqual([]);
    expect(await search(service, newKey(), 'cat')).toEqual([]);
  });

  test('a server that fails delays neither adding nor search, and waiting entries are embedded later', async () => {
    const service = await start();
    const away = { status: 503, error: { message: 'away' } };
    fake.answer(away, away);
    const memory = await remember(service, 'my kitten sleeps');
    await expect.poll(() => fake.received).toBeGreaterThan(0);
    expect(await search(service, memory, 'kitten')).toEqual(['my kitten sleeps']);
    // Where the search came late, the second answer went to the second attempt, and the third one follows 15 s later.
    await expect.poll(() => search(service, memory, 'feline'), { timeout: 50_000 }).toEqual(['my kitten sleeps']);
  });

  test('a text that the server refuses does not hold up the others', async () => {
    const service = await start();
    fake.answer({ status: 400, error: { message: 'no' } }, { status: 400, error: { message: 'no' } });
    const memory = await remember(service, 'a loaf', 'my kitten sleeps');
    await expect.poll(() => fake.received).toBe(3);
    await expect.poll(() => search(service, memory, 'feline')).toEqual(['my kitten sleeps']);
    expect(await search(service, memory, 'bread')).toEqual([]);
  });

  test('entries added before the model was set, or in work when the process died, are embedded', async () => {
    const plain = await startMemory();
    resources.push(plain);
    const memory = await remember(plain, 'my kitten sleeps', 'a ship sails');
    fake.answer('hang');
    const first = await start({ DATABASE_URL: plain.databaseUrl });
    await expect.poll(() => fake.hanging).toBe(1);
    await first[Symbol.asyncDispose]();
    resources.pop();
    const second = await start({ DATABASE_URL: plain.databaseUrl });
    await expect.poll(() => search(second, memory, 'feline')).toEqual(['my kitten sleeps']);
  });

  test('a process whose model is no longer the one that is set leaves its batches to the others', async () => {
    const service = await start();
    await using db = await openOwn(service);
    const memory = await remember(service, 'my kitten sleeps');
    await expect.poll(() => search(service, memory, 'feline')).toHaveLength(1);
    const batch = await batchOf(db);
    const embed = (): Promise<never> => Promise.reject(new Error('was asked'));
    const former = embedBatch({ db, embedder: { name: 'former', embed } });
    await expect(former(batch, attempt)).rejects.toThrow('another embedding model');
  });

  test('vectors of a former model, which come after another one was set, replace none of the new one', async () => {
    const service = await start();
    await using db = await openOwn(service);
    const memory = await remember(service, 'my kitten sleeps', 'a ship sails');
    await expect.poll(() => search(service, memory, 'feline')).toHaveLength(1);
    await db.query({ text: `delete from vectors` });
    await db.query({ text: `update embedding_model set model = 'former'` });
    const batch = await batchOf(db);
    const embed = async (texts: readonly string[]) => {
      await db.query({ text: `update embedding_model set model = 'text-small'` });
      const newer = embedBatch({
        db,
        embedder: await createEmbedder({ model: 'text-small', apiKey, baseUrl: fake.baseUrl }),
      });
      await newer(batch, attempt);
      return texts.map(() => Float32Array.of(1));
    };
    await embedBatch({ db, embedder: { name: 'former', embed } })(batch, attempt);
    expect(await search(service, memory, 'feline')).toEqual(['my kitten sleeps']);
  });

  test('texts that are sent one by one, because one of them was refused, are kept when the attempt ends before the last', async () => {
    const service = await startMemory();
    resources.push(service);
    await using db = await openOwn(service);
    await remember(service, 'a loaf', 'my kitten sleeps', 'a ship sails');
    await db.query({ text: `insert into embedding_model (model) values ('slow')` });
    const asked: (readonly string[])[] = [];
    const embed = async (texts: readonly string[]) => {
      asked.push(texts);
      if (texts.length > 1) throw new EmbeddingFailure('status 400', { isRefusal: true });
      if (asked.length === 3) throw new Error('the time of the attempt is over');
      return [Float32Array.of(1)];
    };
    const work = embedBatch({ db, embedder: { name: 'slow', embed } });
    const batch = await batchOf(db);
    await expect(work(batch, attempt)).rejects.toThrow('is over');
    await work(batch, attempt);
    expect(asked.slice(3)).toEqual([['my kitten sleeps', 'a ship sails'], ['my kitten sleeps'], ['a ship sails']]);
  });

  test('a deleted account leaves no job behind', async () => {
    const service = await start();
    await using db = await openOwn(service);
    fake.answer(...Array.from({ length: 10 }, () => ({ status: 503, error: { message: 'away' } })));
    const { accountId } = await remember(service, 'my kitten sleeps');
    await expect.poll(() => fake.received).toBeGreaterThan(0);
    const jobs = () => db.query({ text: 'select from memory_jobs.job where data @> $1' }, [{ accountId }]);
    expect(await jobs()).toHaveLength(1);
    await service.erase(accountId);
    expect(await jobs()).toEqual([]);
  });

  test('deleting an entry deletes its vector', async () => {
    const service = await start();
    const memory = await remember(service, 'my kitten sleeps');
    await expect.poll(() => search(service, memory, 'feline')).toHaveLength(1);
    const [entry] = (await service.client.listEntries({ memory })).entries;
    await service.client.deleteEntry({ memory, entryId: entry?.id ?? '' });
    expect(await search(service, memory, 'feline')).toEqual([]);
    await service.client.addSession({ session: memory });
    await expect.poll(() => search(service, memory, 'feline')).toHaveLength(1);
    await service.client.deleteEntries({ memory });
    expect(await search(service, memory, 'feline')).toEqual([]);
  });
});

describe('a server that fails', () => {
  const failing = {
    name: 'm',
    embed: () => Promise.reject(new EmbeddingFailure('status 503', { isRefusal: false })),
  };

  test('is logged once until it works again, without texts and keys', async () => {
    const service = await start();
    const memory = await remember(service, 'a secret text');
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', name: 'test', destination: { write: (line) => void lines.push(line) } });
    const migrations = new URL('../migrations/', import.meta.url);
    const options = { service: 'memory', url: service.databaseUrl, poolSize: 2, migrations };
    await using db = await openDatabase(options, log);
    lines.length = 0;
    const meaning = createMeaning({ db, embedder: failing, log, minSimilarity: 0.3 });
    const [accountId, appName, userId] = [memory.accountId, memory.appName, memory.userId];
    const partition = await findPartition(db, [accountId, appName, userId]);
    if (partition === undefined) throw new Error('nothing was added');
    for (let i = 0; i < 3; i++) expect(await meaning.rank(partition, 'a secret query')).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('search goes on by words');
    expect(lines[0]).not.toContain('secret');
  });

  test('is logged only with its status', async () => {
    const { baseUrl } = fake;
    const embedder = await createEmbedder({ model: 'm', apiKey, baseUrl });
    const embed = (text: string) => embedder.embed([text], AbortSignal.timeout(30_000));
    expect(await embed('cat')).toEqual([expect.any(Float32Array)]);
    fake.answer({ status: 401, error: { message: `Incorrect API key provided: ${apiKey}.` } });
    await expect(embed('cat')).rejects.toEqual(new EmbeddingFailure('status 401', { isRefusal: false }));
    for (const answer of ['break', { contentType: 'text/html', body: '<html>' }, json({ data: [] })] as const) {
      fake.answer(answer);
      await expect(embed('cat')).rejects.toBeInstanceOf(EmbeddingFailure);
    }
    const elsewhere = {
      status: 307,
      contentType: 'text/plain',
      headers: { location: `${baseUrl}/embeddings` },
      body: '',
    };
    fake.answer(elsewhere);
    await expect(embed('cat')).rejects.toBeInstanceOf(EmbeddingFailure);
    expect(await embed(`${'x'.repeat(5_999)}😀`)).toHaveLength(1);
  });
});

test('a stored vector is read back unchanged, with similarity 1 to itself', () => {
  fc.assert(
    fc.property(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { maxLength: 30 }), (values) => {
      const vector = toUnit(values);
      if (vector === undefined) return;
      expect(fromBytes(toBytes(vector))).toEqual(vector);
      expect(similarity(vector, vector)).toBeCloseTo(1, 4);
    }),
  );
});

test('fusing keeps every place once, the order of one ranking, and prefers places in both rankings', () => {
  const ranking = fc.uniqueArray(fc.nat({ max: 50 }), { maxLength: 20 });
  fc.assert(
    fc.property(ranking, ranking, (a, b) => {
      expect(fuse([a])).toEqual(a);
      expect(new Set(fuse([a, b]))).toEqual(new Set([...a, ...b]));
      expect(fuse([a, b])).toHaveLength(new Set([...a, ...b]).size);
    }),
  );
  expect(
    fuse([
      [1, 2],
      [3, 2],
    ])[0],
  ).toBe(2);
});
