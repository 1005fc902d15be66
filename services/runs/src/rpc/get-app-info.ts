import type { Context } from '../context.ts';
import { rootAgentNotLlm } from '../errors.ts';
import type { Handlers } from './handlers.ts';

export function getAppInfo(context: Context): Handlers['getAppInfo'] {
  return ({ appName }) => {
    const { infoJson } = context.registry.get(appName);
    if (infoJson === undefined) throw rootAgentNotLlm();
    return { json: infoJson };
  };
}
