import type { Context } from '../context.ts';
import { eraseArtifacts } from '../erase-artifacts.ts';
import type { Handlers } from './handlers.ts';

/** Deprecated, served for old callers only: an account is erased by `consumers/on-account-deleted.ts`. Its counts enter no receipt. */
export function eraseAccount(context: Context): Handlers['eraseAccount'] {
  return (request) => eraseArtifacts(context, request.accountId, async () => {});
}
