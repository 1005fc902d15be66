import { AsyncLocalStorage } from 'node:async_hooks';

const account = new AsyncLocalStorage<string>();

/** Runs the work so that the look-ups of names for its connections count for the account. */
export function forAccount<T>(accountId: string, work: () => T): T {
  return account.run(accountId, work);
}

/** The account that the present work is for; empty when nobody said. */
export function presentAccount(): string {
  return account.getStore() ?? '';
}
