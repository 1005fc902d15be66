import { checkAccountId } from '@agentmesh/lib/rpc';
import type { Context } from '../../context.ts';
import type { Handlers } from './handlers.ts';

/** Succeeds when the account may use an application. */
export function checkApp({ apps }: Context): Handlers['checkApp'] {
  return async ({ accountId, appName }) => {
    await apps.find(checkAccountId(accountId), appName);
    return {};
  };
}
