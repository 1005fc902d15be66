import { answerDeletions, type Bus, type CountErased } from '@agentmesh/lib/bus';
import type { Context } from '../context.ts';
import { eraseAccount } from '../erase-account.ts';

/** Erases the account's artifacts, their objects included. */
export function onAccountDeleted(context: Context, bus: Bus): Promise<() => Promise<void>> {
  const { db, log } = context;
  const erase = async (id: string, count: CountErased) => void (await eraseAccount(context, id, count));
  return answerDeletions({ db, bus, log, service: 'artifacts', erase });
}
