import type { Context } from '../../context.ts';
import { beginCall } from './begin-call.ts';
import { endCalls } from './end-calls.ts';
import type { Handlers } from './handlers.ts';
import { listLimits } from './list-limits.ts';
import { listUsage } from './list-usage.ts';
import { sumUsage } from './sum-usage.ts';
import { setLimit } from './set-limit.ts';

/** Every RPC of the use of models. */
export function modelUseHandlers(context: Context): Handlers {
  return {
    beginCall: beginCall(context),
    endCalls: endCalls(context),
    listUsage: listUsage(context),
    sumUsage: sumUsage(context),
    listLimits: listLimits(context),
    setLimit: setLimit(context),
  };
}
