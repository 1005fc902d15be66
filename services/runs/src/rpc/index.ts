import type { RunsService } from '@agentmesh/proto/runs/v1';
import type { ServiceImpl } from '@connectrpc/connect';
import type { Context } from '../context.ts';
import { createGetAppGraph } from './get-app-graph.ts';
import { createGetAppInfo } from './get-app-info.ts';
import { createListApps } from './list-apps.ts';
import { createListSpans } from './list-spans.ts';
import { createRun } from './run.ts';

/** Every RPC of the service. */
export function createHandlers(context: Context): ServiceImpl<typeof RunsService> {
  return {
    run: createRun(context),
    listApps: createListApps(context),
    getAppInfo: createGetAppInfo(context),
    getAppGraph: createGetAppGraph(context),
    listSpans: createListSpans(context),
  };
}
