import { type App as AppMessage, AppState, type BrokenApp, type FileMistake } from '@agentmesh/proto/runs/v1';
import { type App, type Context, unary } from '../context.ts';
import { routeFamily } from '../edge/http/route-family.ts';
import { sendJson } from '../edge/json/json-bytes.ts';
import { AppPath } from '../edge/records/path.ts';
import { AppInfo, AppList, ListAppsQuery } from './app-record.ts';
import { refuseInternalApp } from './open-run.ts';

const reads = routeFamily({ tag: 'apps', caller: 'account', scope: 'apps:read', holdsNoUserData: true });
const describes = routeFamily({ tag: 'apps', caller: 'runtime', scope: 'apps:read', holdsNoUserData: true });

/** The list of applications, and the description of one. */
export function appRoutes(app: App, { runs, authentication }: Context): void {
  app.get(
    '/list-apps',
    reads(authentication, {
      operationId: 'listApps',
      summary: 'List applications',
      description: 'Names of the applications that the account can use; with `detailed=true` one record for each.',
      querystring: ListAppsQuery,
      response: { 200: AppList },
    }),
    async ({ identity, query }) => {
      const { apps, brokenApps } = await runs.listApps({ accountId: identity.accountId }, unary);
      return query.detailed ? { apps: detailedList(apps, brokenApps) } : apps.map(({ name }) => name).toSorted();
    },
  );

  app.get(
    '/apps/:app_name/app-info',
    describes(authentication, {
      operationId: 'getAppInfo',
      summary: 'Describe an application',
      description: 'Its root agent and its other agents, with their tools.',
      params: AppPath,
      response: { 200: AppInfo },
      refusals: [400, 403, 404],
    }),
    async ({ identity, params }, reply) => {
      refuseInternalApp(params.app_name);
      const { json } = await runs.getAppInfo({ accountId: identity.accountId, appName: params.app_name }, unary);
      return sendJson(reply, json);
    },
  );
}

/** All apps by name, those that cannot run too: these have `error` and no root agent. */
function detailedList(apps: readonly AppMessage[], brokenApps: readonly BrokenApp[]) {
  const broken = brokenApps.map(({ name, mistakes, state }) => ({
    ...unknownApp,
    name,
    ...condition(mistakes, state || AppState.FAILED),
  }));
  return [...apps.map(detailed), ...broken].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const unknownApp = { rootAgentName: '', description: '', language: 'yaml', isComputerUse: false, agents: null };

/** The record of app-info without the agents, whose key the reference sends as null. */
function detailed({ name, rootAgentName, description, language, isComputerUse, mistakes, state }: AppMessage) {
  const facts = condition(mistakes, state || AppState.READY);
  return { name, rootAgentName, description, language, isComputerUse, agents: null, ...facts };
}

const states = {
  [AppState.READY]: 'ready',
  [AppState.LOADING]: 'loading',
  [AppState.FAILED]: 'failed',
  [AppState.STALE]: 'stale',
} as const;

/** Whether an app can run, and what is wrong with its files. */
function condition(found: readonly FileMistake[], state: keyof typeof states) {
  const mistakes = found.map(({ file, line, column, key, reason }) => ({
    file,
    ...(line > 0 && { line, column }),
    key,
    reason,
  }));
  return { state: states[state], mistakes };
}
