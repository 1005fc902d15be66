import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';

interface Receipt {
  readonly services: readonly { readonly service: string; readonly erased_at: string | null }[];
}

/** Deletes new accounts one after the other, with a pause after each, until `signal` aborts, and at least one. Answers the addresses of their receipts. */
export async function deleteAccounts(newCaller: () => Caller, signal: AbortSignal, pauseMs: number): Promise<string[]> {
  const receipts: string[] = [];
  do {
    const account = await newAccount('', newCaller());
    const { body } = await account.request<{ user_id: number }>('GET', '/api/users/me');
    const removed = await account.fetch('DELETE', `/api/users/${body.user_id}`);
    expect(removed.status).toBe(204);
    receipts.push(removed.headers.get('location') ?? '');
    await delay(pauseMs);
  } while (!signal.aborted);
  return receipts;
}

/** Waits until each of these services has erased each of these accounts. */
export async function awaitErased(caller: Caller, receipts: readonly string[], services: readonly string[]) {
  for (const receipt of receipts) {
    const confirmed = async () => {
      const { body } = await caller.request<Receipt>('GET', receipt);
      return body.services.filter(({ service, erased_at: at }) => services.includes(service) && at === null);
    };
    await expect.poll(confirmed, { timeout: 120_000 }).toEqual([]);
  }
}
