import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';

export function createListSpans({ spans }: Context): ServiceImpl<typeof RunsService>['listSpans'] {
  return ({ accountId, appName, of }) => {
    if (spans === undefined || of.case === undefined) return { spans: [] };
    const app = { accountId, appName };
    return { spans: of.case === 'sessionId' ? spans.ofSession(app, of.value) : spans.ofEvent(app, of.value) };
  };
}
