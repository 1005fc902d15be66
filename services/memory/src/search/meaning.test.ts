import type { Database } from '@agentmesh/lib/pg';
import { createLogger } from '@agentmesh/lib/telemetry';
import { expect, test } from 'vitest';
import { type Embedder, EmbeddingFailure } from '../embeddings/embedder.ts';
import { createMeaning } from './meaning.ts';

const partition = { accountId: 'a', pk: 1n, nextPlace: 0, languages: [] };

/** An embedding server that fails for each text so, and the texts that it was asked for. */
function failing({ isRefusal }: { readonly isRefusal: boolean }) {
  const asked: string[] = [];
  const embedder: Embedder = {
    name: 'failing',
    embed: ([text = '']) => {
      asked.push(text);
      return Promise.reject(new EmbeddingFailure('status', { isRefusal }));
    },
  };
  const meaning = createMeaning({
    db: undefined as unknown as Database,
    embedder,
    log: createLogger({ level: 'silent', name: 'test' }),
    minSimilarity: 0,
  });
  return { asked, search: (query: string) => meaning.rank(partition, query) };
}

test('a text that the embedding server refuses keeps no other search from it', async () => {
  const { asked, search } = failing({ isRefusal: true });
  expect(await search('too long')).toEqual([]);
  expect(await search('another')).toEqual([]);
  expect(asked).toEqual(['too long', 'another']);
});

test('a server that fails is left alone for a while', async () => {
  const { asked, search } = failing({ isRefusal: false });
  expect(await search('one')).toEqual([]);
  expect(await search('another')).toEqual([]);
  expect(asked).toEqual(['one']);
});
