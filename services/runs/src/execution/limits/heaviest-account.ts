import { getHeapStatistics } from 'node:v8';
import { bytesOfAnswers, roomForHeap } from '@agentmesh/lib/outbound';
import type { Turn } from '@agentmesh/proto/sessions/v1';

/** Part of the heap above which much is held. */
const fullPart = 0.6;
/** Bytes of the heap for each byte of an answer, which is kept a few times, and for a run besides its history. */
const [bytesOfByte, bytesOfRun] = [8, 100_000];

export interface HeldMemory {
  /** Bytes of the answers of other servers, by account. */
  readonly answers: () => ReadonlyMap<string, number>;
  /** Most bytes of the answers of one account. */
  readonly mostOfAccount: number;
  readonly heap: () => { readonly used_heap_size: number; readonly heap_size_limit: number };
}

interface HoldingAttempt {
  readonly turn: Pick<Turn, 'session' | 'events' | 'stateJson' | 'messageJson'>;
}

/**
 * The account that is charged when the process dies, see RenewLeasesRequest: the one that holds at least as much as all others together, of answers and of histories of
 * runs, when much is held. That is when its answers take over half of the room of an account, or the heap is full to three fifths. Empty for none. While little is held, it
 * costs a look at two numbers.
 */
export function heaviestAccount(attempts: Iterable<HoldingAttempt>, memory: Partial<HeldMemory> = {}): string {
  const { answers = bytesOfAnswers, mostOfAccount = roomForHeap().ofAccount, heap = getHeapStatistics } = memory;
  const answered = answers();
  const { used_heap_size: used, heap_size_limit: limit } = heap();
  if (used < fullPart * limit && Math.max(0, ...answered.values()) < mostOfAccount / 2) return '';
  const held = new Map(Array.from(answered, ([accountId, bytes]) => [accountId, bytesOfByte * bytes]));
  for (const { turn } of attempts) {
    const accountId = turn.session?.accountId ?? '';
    held.set(accountId, (held.get(accountId) ?? 0) + bytesOf(turn));
  }
  return mostOf(held);
}

function bytesOf({ events, stateJson, messageJson }: HoldingAttempt['turn']): number {
  return events.reduce((sum, event) => sum + event.length, bytesOfRun + stateJson.length + messageJson.length);
}

/** The name with at least half of the sum; empty when there is none. */
function mostOf(held: ReadonlyMap<string, number>): string {
  let [name, most, sum] = ['', 0, 0];
  for (const [accountId, bytes] of held) {
    sum += bytes;
    if (bytes > most) [name, most] = [accountId, bytes];
  }
  return 2 * most >= sum ? name : '';
}
