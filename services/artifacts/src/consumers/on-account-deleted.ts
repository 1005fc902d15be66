import { answerDeletions, type CountErased } from '@agentmesh/lib/bus';
import type { Context } from '../context.ts';
import { eraseArtifacts } from '../erase-artifacts.ts';

/** Erases all artifacts of a deleted account, with their objects in the blob store, and confirms to auth how much it erased. */
export function onAccountDeleted(context: Context): Promise<() => Promise<void>> {
  const { db, bus, log } = context;
  const erase = async (accountId: string, count: CountErased) => void (await eraseArtifacts(context, accountId, count));
  return answerDeletions({ db, bus, log, service: 'artifacts', erase });
}
