import type { Context } from '../../context.ts';
import type { Handlers } from '../handlers.ts';
import { declareRetention } from './declare-retention.ts';
import { getRetention } from './get-retention.ts';
import { setRetention } from './set-retention.ts';

/** How long runs and events are kept. */
export function retentionHandlers(
  context: Context,
): Pick<Handlers, 'getRetention' | 'setRetention' | 'declareRetention'> {
  return {
    getRetention: getRetention(context),
    setRetention: setRetention(context),
    declareRetention: declareRetention(context),
  };
}
