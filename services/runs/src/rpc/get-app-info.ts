import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { rootAgentNotLlm } from '../errors.ts';

export function createGetAppInfo(context: Context): ServiceImpl<typeof RunsService>['getAppInfo'] {
  return ({ appName }) => {
    const { infoJson } = context.registry.get(appName);
    if (infoJson === undefined) throw rootAgentNotLlm();
    return { json: infoJson };
  };
}
