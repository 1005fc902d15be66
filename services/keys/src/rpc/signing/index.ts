import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';
import { sealSecret } from './seal-secret.ts';
import { signMessage } from './sign-message.ts';

/** Every RPC of signing secrets. */
export function signingHandlers(context: Context): Handlers {
  return { sealSecret: sealSecret(context), signMessage: signMessage(context) };
}
