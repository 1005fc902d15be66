import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';
import { openToolKey } from './open-tool-key.ts';

/** Every RPC of keys of tools. */
export function toolKeysHandlers(context: Context): Handlers {
  return { openToolKey: openToolKey(context) };
}
