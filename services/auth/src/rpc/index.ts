import type { Context } from '../context.ts';
import type { Handlers } from './handlers.ts';
import { erasureHandlers } from './erasure/index.ts';
import { answerLinkHandlers } from './answer-links/index.ts';
import { mailHandlers } from './mail/index.ts';
import { deviceHandlers } from './device/index.ts';
import { tokenHandlers } from './tokens/index.ts';
import { signInHandlers } from './sign-ins/index.ts';
import { accountHandlers } from './accounts/index.ts';

export { recordConsumerCalls } from '../accounts/consumer-calls.ts';

/** The table of contents: every RPC of the service. */
export function createHandlers(context: Context): Handlers {
  return {
    ...accountHandlers(context),
    ...signInHandlers(context),
    ...tokenHandlers(context),
    ...deviceHandlers(context),
    ...mailHandlers(context),
    ...answerLinkHandlers(context),
    ...erasureHandlers(context),
  };
}
