import type { Context } from '../context.ts';
import { finalizeCredential } from './finalize-credential.ts';
import type { Handlers } from './handlers.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return { finalizeCredential: finalizeCredential(context) };
}
