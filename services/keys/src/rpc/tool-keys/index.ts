import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';
import { openHeaders } from './open-headers.ts';
import { openToolKey } from './open-tool-key.ts';
import { sealHeaders } from './seal-headers.ts';

/** Every RPC of secrets of tools. */
export function toolKeysHandlers(context: Context): Handlers {
  return {
    openToolKey: openToolKey(context),
    sealHeaders: sealHeaders(context),
    openHeaders: openHeaders(context),
  };
}
