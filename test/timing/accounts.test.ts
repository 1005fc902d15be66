import { randomUUID } from 'node:crypto';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Caller } from '../caller.ts';
import { startMesh } from '../mesh.ts';
import { mannWhitney, median } from './mann-whitney.ts';

const accounts = Array.from({ length: 40 }, () => `${randomUUID()}@example.com`);
/** The same number of addresses without an account. They are repeated as often, because the record of failed sign-ins is bounded by address. */
const strangers = accounts.map(() => `${randomUUID()}@example.com`);
const pairs = 400;
/** Number of rounds. Load on the machine may spoil a round; a real difference shows in every round. */
const rounds = 4;

const resources = new AsyncDisposableStack();
let caller: Caller;

beforeAll(async () => {
  const database = resources.use(await testDatabaseUrl());
  const env = { AUTH_ARGON2_MEMORY_KIB: '64', RATE_LIMIT_ENABLED: 'false' };
  const mesh = resources.use(await startMesh({ mode: 'all', databaseUrl: database.url, env }));
  caller = new Caller(mesh.url);
  for (const email of accounts) {
    const person = { email, password: 'correct horse battery', first_name: 'A', last_name: 'B' };
    const { status } = await caller.request('POST', '/api/users/', person);
    if (status !== 201) throw new Error(`sign-up failed: ${status}`);
  }
});
afterAll(() => resources.disposeAsync());

describe('the response time does not reveal whether an address has an account', () => {
  test.each([
    ['/api/auth/forgot-password', (email: string) => ({ email })],
    ['/api/auth/resend-verification', (email: string) => ({ email })],
    ['/api/auth/token', (email: string) => ({ email, password: 'not the password' })],
  ])('%s', { timeout: 240_000 }, async (path, bodyOf) => {
    const outcomes: { p: number; differenceMs: number }[] = [];
    for (let round = 0; round < rounds; round++) {
      const { known, unknown } = await measure(path, bodyOf);
      outcomes.push({ p: mannWhitney(known, unknown), differenceMs: Math.abs(median(known) - median(unknown)) });
      if (isEven(outcomes.at(-1))) break;
    }
    expect({ outcomes, even: outcomes.some(isEven) }).toMatchObject({ even: true });
  });

  const isEven = (outcome: { p: number; differenceMs: number } | undefined): boolean =>
    outcome !== undefined && outcome.p >= 0.01 && outcome.differenceMs < 1;

  test('and this test would find a difference', { timeout: 240_000 }, async () => {
    const found: number[] = [];
    while (found.length < rounds && !found.some((p) => p < 0.01)) {
      const { known, unknown } = await measure('/api/auth/forgot-password', (email) => ({ email }));
      const slower = known.map((ms) => ms + Math.max(0.3, median(known) / 4));
      found.push(mannWhitney(slower, unknown));
    }
    expect(Math.min(...found)).toBeLessThan(0.01);
  });
});

/** Takes samples in pairs, one of each kind, in random order. */
async function measure(path: string, bodyOf: (email: string) => object) {
  const known: number[] = [];
  const unknown: number[] = [];
  const ask = async (email: string): Promise<number> => {
    const body = bodyOf(email);
    const began = performance.now();
    await caller.request('POST', path, body);
    return performance.now() - began;
  };
  for (let pair = 0; pair < pairs; pair++) {
    const mine = accounts[pair % accounts.length] ?? '';
    const nobodys = strangers[pair % strangers.length] ?? '';
    const knownFirst = Math.random() < 0.5;
    if (knownFirst) known.push(await ask(mine));
    unknown.push(await ask(nobodys));
    if (!knownFirst) known.push(await ask(mine));
  }
  return { known, unknown };
}
