import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';

export function createGetAppGraph(context: Context): ServiceImpl<typeof RunsService>['getAppGraph'] {
  return ({ appName }) => ({ json: context.registry.get(appName).graphJson });
}
