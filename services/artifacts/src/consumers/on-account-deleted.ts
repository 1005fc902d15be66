import { answerDeletions, type CountErased, type ConsumeHandler } from '@agentmesh/lib/bus';
import type { AccountDeletedSchema } from '@agentmesh/proto/auth/v1';
import type { Context } from '../context.ts';
import { eraseArtifacts } from '../erase-artifacts.ts';

/** Erases all artifacts of a deleted account, with their objects in the blob store, and confirms to auth how much it erased. */
export function onAccountDeleted(context: Context): ConsumeHandler<typeof AccountDeletedSchema> {
  const { db, auth, log } = context;
  const erase = async (accountId: string, count: CountErased) => void (await eraseArtifacts(context, accountId, count));
  return answerDeletions({ db, auth, log, service: 'artifacts', erase });
}
