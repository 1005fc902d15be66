import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';
import { finalizeCredential } from './finalize-credential.ts';

/** Every RPC of agent identity. */
export function agentIdentityHandlers(context: Context): Handlers {
  return { finalizeCredential: finalizeCredential(context) };
}
