import { create } from '@bufbuild/protobuf';
import { TurnSchema } from '@agentmesh/proto/sessions/v1';
import { expect, test } from 'vitest';
import { heaviestAccount } from './heaviest-account.ts';

const calm = { used_heap_size: 10, heap_size_limit: 100 };
const full = { used_heap_size: 61, heap_size_limit: 100 };

function open(answers: Record<string, number>, heap = calm) {
  const held = new Map(Object.entries(answers));
  const memory = { answers: () => held, mostOfAccount: 8_000_000, heap: () => heap };
  return (attempts: Parameters<typeof heaviestAccount>[0]) => heaviestAccount(attempts, memory);
}

const runOf = (accountId: string, bytes = 0) => ({
  turn: create(TurnSchema, { session: { accountId }, events: [new Uint8Array(bytes)] }),
});

test('no account is named while little is held', () => {
  expect(open({ a: 3_999_999, b: 10 })([runOf('a', 9_000_000)])).toBe('');
  expect(open({})([])).toBe('');
});

test('the account is named whose answers take over half of the room of one and half of what is held', () => {
  expect(open({ a: 4_000_000, b: 1_000_000 })([runOf('b')])).toBe('a');
  expect(open({ a: 4_000_000, b: 3_000_000, c: 3_000_000 })([])).toBe('');
});

test('when the heap is nearly full, histories count too, and the operator is not charged', () => {
  expect(open({}, full)([runOf('a', 2_000_000), runOf('b', 1_000_000)])).toBe('a');
  expect(open({ '': 5_000_000 }, full)([runOf('a', 2_000_000)])).toBe('');
  expect(open({}, full)([])).toBe('');
});
