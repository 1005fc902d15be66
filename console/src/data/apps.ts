import type { Answer } from '@agentmesh/client';
import { mesh } from './client.ts';

type DetailedApp = Extract<Answer<'listApps'>, { apps: unknown }>['apps'][number];

/** An app that can be talked to: one of files, or an agent that the account has made. */
export interface AgentApp extends DetailedApp {
  /** Name for people: of a made agent its own, in place of its id. */
  readonly title: string;
  /** Id of the record; absent for files. */
  readonly recordId?: string;
}

export async function loadApps(): Promise<readonly AgentApp[]> {
  const { apps } = await mesh.request<{ apps: DetailedApp[] }>({ path: '/list-apps', query: { detailed: true } });
  return apps.map((app) => {
    const isRecord = /^agent\d+$/.test(app.name);
    const title = isRecord && app.rootAgentName !== '' ? app.rootAgentName : app.name;
    return { ...app, title, ...(isRecord && { recordId: app.name }) };
  });
}
