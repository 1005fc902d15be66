import { randomUUID } from 'node:crypto';
import { isMeshError } from '../rpc/index.ts';
import { array, asyncProperty, assert, boolean, constant, constantFrom, oneof, record } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { forgetKeys } from './index.ts';
import { KeyedNotes, type Wrapper } from './testing/keyed-notes.ts';

let notes: KeyedNotes;

beforeAll(async () => {
  notes = await KeyedNotes.open();
});
afterAll(() => notes[Symbol.asyncDispose]());

const request = record({
  wrapper: constantFrom<Wrapper>('once', 'onceAtCommit'),
  key: constantFrom('k1', 'k2'),
  text: constantFrom('one', 'two'),
  /** The handler fails after its effect. */
  fails: boolean(),
});
type Request = Parameters<Parameters<typeof request.map>[0]>[0];
const step = oneof(
  { weight: 4, arbitrary: array(request, { minLength: 1, maxLength: 6 }) },
  { weight: 1, arbitrary: constant('a day passes' as const) },
  { weight: 1, arbitrary: constant('the job runs' as const) },
);

/** The request that has a key, and its answer. */
interface Kept {
  readonly text: string;
  readonly id: string;
}

type Outcome = { readonly id: string; readonly already: boolean } | 'reused' | 'failed';

async function outcomeOf(accountId: string, { wrapper, key, text, fails }: Request): Promise<Outcome> {
  const afterEffect = fails ? { afterEffect: () => Promise.reject(new Error('the handler fails')) } : {};
  return notes.send(wrapper, { accountId, key, text, ...afterEffect }).catch((error: unknown) => {
    return isMeshError(error) && error.reason === 'idempotency_key_reused' ? 'reused' : 'failed';
  });
}

/** Checks the outcomes of requests with one key that came at the same time, and returns what the key stands for afterwards. */
function check(kept: Kept | undefined, sent: readonly { request: Request; outcome: Outcome }[]): Kept | undefined {
  const first = sent.find(({ outcome }) => typeof outcome === 'object' && !outcome.already);
  const text = first?.request.text;
  const id = typeof first?.outcome === 'object' ? first.outcome.id : '';
  const after = kept ?? (text === undefined ? undefined : { text, id });
  if (kept !== undefined) expect(first).toBeUndefined();
  for (const { request, outcome } of sent) {
    if (after === undefined) expect([outcome, request.fails]).toEqual(['failed', true]);
    // A request that fails may have come before the one that has the key.
    else if (outcome === 'failed') expect([request.fails, kept]).toEqual([true, undefined]);
    else if (request.text !== after.text) expect(outcome).toBe('reused');
    else expect(outcome).toEqual({ id: after.id, already: request !== first?.request });
  }
  return after;
}

test('a key has one effect and one answer in a day, in any order of requests', async () => {
  const property = asyncProperty(array(step, { minLength: 1, maxLength: 8 }), async (steps) => {
    const accountId = randomUUID();
    const model = new Map<string, Kept>();
    const effects = new Set<string>();
    for (const one of steps) {
      if (one === 'a day passes') {
        await notes.age(accountId, 25);
        model.clear();
      } else if (one === 'the job runs') await forgetKeys(notes.db);
      else {
        const sent = await Promise.all(
          one.map(async (request) => ({ request, outcome: await outcomeOf(accountId, request) })),
        );
        for (const key of new Set(one.map((request) => request.key))) {
          const kept = check(
            model.get(key),
            sent.filter(({ request }) => request.key === key),
          );
          if (kept !== undefined) model.set(key, kept);
        }
      }
      for (const { id } of model.values()) effects.add(id);
    }
    expect(new Set(await notes.notesOf(accountId))).toEqual(effects);
  });
  await assert(property, { numRuns: 25 });
}, 120_000);
