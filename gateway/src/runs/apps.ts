import type { App as AppMessage } from '@agentmesh/proto/runs/v1';
import { type App, type Context, unary } from '../context.ts';
import { sendJson } from '../edge/json/json-bytes.ts';
import { AppPath } from '../edge/records/path.ts';
import { failures, Problem } from '../edge/records/problem.ts';
import { AppInfo, AppList, ListAppsQuery } from './app-record.ts';
import { refuseInternalApp } from './open-run.ts';

const tags = ['apps'];

/** Which applications there are, and what one of them is. */
export function appRoutes(app: App, { runs, authentication }: Context): void {
  app.get(
    '/list-apps',
    {
      preValidation: authentication.page,
      config: { scope: 'apps:read', holdsNoUserData: true },
      schema: {
        tags,
        operationId: 'listApps',
        summary: 'List applications',
        querystring: ListAppsQuery,
        response: { 200: AppList, ...failures },
      },
    },
    async ({ identity, query }) => {
      const { apps } = await runs.listApps({ accountId: identity.accountId }, unary);
      return query.detailed ? { apps: apps.map(detailed) } : apps.map(({ name }) => name);
    },
  );

  app.get(
    '/apps/:app_name/app-info',
    {
      preValidation: authentication.runtime,
      config: { scope: 'apps:read', holdsNoUserData: true },
      schema: {
        tags,
        operationId: 'getAppInfo',
        summary: 'Describe an application',
        params: AppPath,
        response: { 200: AppInfo, 400: Problem, 403: Problem, 404: Problem, ...failures },
      },
    },
    async ({ identity, params }, reply) => {
      refuseInternalApp(params.app_name);
      const { json } = await runs.getAppInfo({ accountId: identity.accountId, appName: params.app_name }, unary);
      return sendJson(reply, json);
    },
  );
}

/** The record of app-info without the agents, whose key the reference sends as null. */
function detailed({ name, rootAgentName, description, language, isComputerUse }: AppMessage) {
  return { name, rootAgentName, description, language, isComputerUse, agents: null };
}
