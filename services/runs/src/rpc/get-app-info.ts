import type { Context } from '../context.ts';
import { rootAgentNotLlm } from '../errors.ts';
import type { Handlers } from './handlers.ts';

export function getAppInfo({ apps }: Context): Handlers['getAppInfo'] {
  return async ({ accountId, appName }) => {
    const { infoJson } = await apps.find(accountId, appName);
    if (infoJson === undefined) throw rootAgentNotLlm();
    return { json: infoJson };
  };
}
