import { addMcpTools } from '../apps/building/mcp-tools.ts';
import type { Context } from '../context.ts';
import { rootAgentNotLlm } from '../errors.ts';
import type { Handlers } from './handlers.ts';

export function getAppInfo({ apps }: Context): Handlers['getAppInfo'] {
  return async ({ accountId, appName }, { signal }) => {
    const { infoJson, toolsets = [] } = await apps.find(accountId, appName);
    if (infoJson === undefined) throw rootAgentNotLlm();
    return { json: await addMcpTools(infoJson, toolsets, { accountId, signal }) };
  };
}
