import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';

/** Apps from `AGENTS_DIR` are every account's. */
export function createListApps(context: Context): ServiceImpl<typeof RunsService>['listApps'] {
  return () => ({
    apps: context.registry.list().map(({ name, root }) => ({
      name,
      rootAgentName: root.name,
      description: root.description,
      language: 'yaml',
      isComputerUse: false,
    })),
  });
}
