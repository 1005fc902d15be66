import type { Context } from '../../context.ts';
import { findKey } from '../../saved-keys/find-key.ts';
import { keyRecord } from '../../saved-keys/key-record.ts';
import type { Handlers } from './handlers.ts';

/** Returns one key, without its secret. */
export function getKey(context: Context): Handlers['getKey'] {
  return async (request) => ({ key: await keyRecord(context.vault, await findKey(context, request)) });
}
