import type { Context } from '../context.ts';
import type { Handlers } from './handlers.ts';

export function getAppGraph({ apps }: Context): Handlers['getAppGraph'] {
  return async ({ accountId, appName }) => ({ json: (await apps.find(accountId, appName)).graphJson });
}
