import type { Context } from '../context.ts';
import type { Handlers } from './handlers.ts';
import { transcribe } from './transcribe.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return { transcribe: transcribe(context) };
}
