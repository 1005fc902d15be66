import type { GuardedFetch } from '@agentmesh/lib/outbound';
import type { Logger } from '@agentmesh/lib/telemetry';
import type { Models } from '../../../models/models.ts';
import type { App } from '../../building/app.ts';
import type { AgentToolset } from '../../building/mcp-tools.ts';
import { type AppSettings, appSettingsOf } from '../../definition/settings/app-settings.ts';
import { readRootKeys } from '../../definition/read-root-keys.ts';
import { makeMcpToolset } from '../../entries/make-mcp-toolset.ts';
import { listFolder } from '../../files/folder-files.ts';
import type { AgentFile } from '../../files/load-agent-files.ts';
import { mcpEntries } from '../../files/mcp-entries.ts';
import { summaryModelOf } from '../../files/summary-model.ts';
import type { LoadRequest } from '../protocol.ts';
import { type AppLinks, noLinks } from './app-links.ts';
import type { CodeConfig } from './code-settings.ts';
import { isAsBefore, mixed, sourceOf } from './code-source.ts';
import type { CodeWorker } from './code-worker.ts';
import { RemoteRun } from './remote-run.ts';
import { WorkerKeeper } from './worker-keeper.ts';

/** An app with code: its facts for the worker, and for the registry. */
export interface CodeAppSpec {
  readonly request: Omit<LoadRequest, 'kind' | 'maxModelCalls' | 'toolTimeoutMs' | 'modelCooldownMs'>;
  /** Text of its YAML files. */
  readonly text: string;
  readonly language: App['language'];
  /** Its tree of agents, where its YAML files tell it. */
  readonly graphJson?: Uint8Array;
  /** Absent: its agents have no servers and agents elsewhere that this process knows of. */
  readonly links?: AppLinks;
}

/** Apps whose agents run in workers. Disposing ends all workers. */
export interface CodeApps extends Disposable {
  /** Loads a version of an app in a new worker; returns `present` if nothing has changed. Rejects with AppFilesError. */
  load(spec: CodeAppSpec, present: App | undefined): Promise<App>;
}

export interface CodeAppsOptions {
  readonly config: CodeConfig;
  readonly limits: Pick<LoadRequest, 'maxModelCalls' | 'toolTimeoutMs' | 'modelCooldownMs'>;
  readonly models: Models;
  /** Reaches only permitted addresses, for `http_get`. */
  readonly fetch: GuardedFetch;
  readonly log: Logger;
}

/** An app that was found at the start may not be used for long; one that somebody has just changed is used soon. */
const [firstIdleMs, changedIdleMs] = [2_000, 10 * 60_000];

export function createCodeApps({ config, limits, models, fetch, log }: CodeAppsOptions): CodeApps {
  const workers = new Set<CodeWorker>();
  let isDisposed = false;
  return {
    async load({ request, text, language, graphJson, links = noLinks }, present) {
      const { appName: name, folder } = request;
      if (isDisposed) throw new Error('The service stops.');
      const known = present?.files;
      if (known !== undefined && present?.source === (await sourceOf(folder, text, known))) return present;
      const options = {
        request: { ...request, ...limits, kind: 'load' as const },
        config,
        log: log.child({ app: name }),
      };
      const before = await listFolder(folder);
      const keeper = new WorkerKeeper(options, workers);
      const loaded = await keeper.load(present === undefined ? firstIdleMs : changedIdleMs);
      const { kind: _, files, settingsJson, ...facts } = loaded;
      const settings = settingsOf(request, settingsJson, keeper);
      const read = await sourceOf(folder, text, files);
      const source = (await isAsBefore(before, files)) ? read : mixed;
      return {
        ...facts,
        name,
        language,
        source,
        files,
        ...(graphJson && { graphJson }),
        settings,
        toolsets: toolsetsOfLinks(request.definition, links),
        summaryModel: request.definition && summaryModelOf(request.definition),
        open: (run) => new RemoteRun(keeper, { models, fetch, links }, run),
        retire: () => keeper.retire(),
      };
    },
    [Symbol.dispose]() {
      isDisposed = true;
      for (const worker of workers) worker.stop('the service stops');
    },
  };
}

function toolsetsOfLinks(file: AgentFile | undefined, { mcp }: AppLinks): AgentToolset[] {
  return (file === undefined ? [] : mcpEntries(file)).flatMap(({ agentName, entry }, index) => {
    const link = mcp[index];
    return link === undefined ? [] : [{ agentName, toolset: makeMcpToolset(entry, link) }];
  });
}

/** The settings of `root_agent.yaml`, or those that the code exports. Ends the worker and throws AppFilesError when they have mistakes. */
function settingsOf(
  { definition, entry = '' }: CodeAppSpec['request'],
  json: Uint8Array | undefined,
  keeper: WorkerKeeper,
): AppSettings {
  try {
    return appSettingsOf(definition?.definition ?? readRootKeys(entry, json));
  } catch (error) {
    keeper.retire();
    throw error;
  }
}
