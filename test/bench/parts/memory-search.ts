import { createClient } from '../load/load-client.ts';
import { meshOneProcess } from '../targets/mesh-targets.ts';
import { growthMb } from './growth.ts';
import type { Figure, Part } from './part.ts';
import type { Target } from '../targets/target.ts';

const total = 100_000;
/** The gateway takes a million values in a body, and an event has ten. */
const sessions = 2;
const wordsPerText = 14;
const distinctWords = 30_000;
const searches = 600;
const app = 'remembered';
const path = `/apps/${app}/users/u1/memory`;

/**
 * Time of searches in the memory of one user with 100,000 entries, one after the other, and the time to add these entries as
 * two sessions.
 */
export const memorySearch: Part = {
  name: 'memory-search',
  measure: async ({ say, signal }) => {
    await using target = await meshOneProcess.start();
    const client = createClient({ ...target, app, connections: 1 });
    say(`creating ${sessions} sessions of ${total} events together`);
    const random = createRandom(7);
    const made: string[] = [];
    for (let n = 0; n < sessions; n++) {
      const events = Array.from({ length: total / sessions }, () => ({
        author: 'user',
        content: { parts: [{ text: textOf(random) }] },
      }));
      made.push(await client.createSession(events));
    }
    say('adding them to memory');
    const adding = await add(target, made, signal);
    const find = async (query: string): Promise<number> => {
      signal.throwIfAborted();
      const started = performance.now();
      const { text } = await client.request(`${path}?query=${encodeURIComponent(query)}`);
      const took = performance.now() - started;
      if ((JSON.parse(text) as { memories: unknown[] }).memories.length === 0) throw new Error(`nothing for ${query}`);
      return took;
    };
    const figures: Figure[] = [];
    for (const [kind, query] of kinds) {
      say(`searching: ${kind}`);
      for (let warm = 0; warm < 50; warm++) await find(query(random));
      const latencies: number[] = [];
      for (let count = 0; count < searches; count++) latencies.push(await find(query(random)));
      latencies.sort((a, b) => a - b);
      const quantile = (q: number) => latencies[Math.floor(latencies.length * q)] ?? 0;
      const label = `memory search among ${total}, ${kind}`;
      figures.push({ label: `${label}, p50 ms`, value: quantile(0.5) });
      figures.push({ label: `${label}, p99 ms`, value: quantile(0.99), atMost: 30 });
    }
    return [...adding, ...figures];
  },
};

/** A rare word is in some tens of entries; the three most frequent words are in 62, 43 and 33 % of all. */
const kinds: readonly (readonly [string, (random: () => number) => string])[] = [
  ['two rare words', (random) => `${rareWord(random)} ${rareWord(random)}`],
  ['a message of 14 words', textOf],
  ['the three most frequent words', () => 'word0 word1 word2'],
];

async function add(target: Target, made: readonly string[], signal: AbortSignal): Promise<Figure[]> {
  const started = performance.now();
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${target.token}` };
  const grownMb = await growthMb(target, async () => {
    for (const sessionId of made) {
      const init = { method: 'PATCH', headers, body: JSON.stringify({ sessionId }), signal };
      const answer = await fetch(target.url + path, init);
      if (answer.status !== 200) throw new Error(`${answer.status} ${await answer.text()}`);
    }
  });
  return [
    { label: `adding ${total} events to memory, s`, value: (performance.now() - started) / 1000 },
    { label: `resident memory that adding it took, MB`, value: grownMb },
  ];
}

/** Returns a text of random words whose frequencies follow Zipf's law approximately. */
function textOf(random: () => number): string {
  return Array.from({ length: wordsPerText }, () => `word${Math.floor(distinctWords ** random()) - 1}`).join(' ');
}

function rareWord(random: () => number): string {
  return `word${Math.floor(1_000 + random() * 9_000)}`;
}

/** A seeded random generator (mulberry32), so that every benchmark run has the same texts and queries. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
