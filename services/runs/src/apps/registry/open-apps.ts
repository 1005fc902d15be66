import type { Database } from '@agentmesh/lib/pg';
import { type Host, SettingsError } from '@agentmesh/lib/service';
import { ToolKeysService } from '@agentmesh/proto/keys/v1/tool_keys';
import { type AgentApps, createAgentApps } from '../agents/agent-apps.ts';
import type { CheckModel } from '../agents/checks/check-definition.ts';
import { createModelMeter, createModels, type Models, type ModelUse } from '../../models/index.ts';
import { AccountSteps } from '@agentmesh/lib/wait';
import { type AddressPolicy, createAddressPolicy, createGuardedApiFetch } from '@agentmesh/lib/outbound';
import { createCodeApps } from '../code/host/code-apps.ts';
import { type AppFinder, createAppFinder } from './app-finder.ts';
import { createRegistry, type Registry } from './registry.ts';
import type { CheckTool } from '../entries/check-tools.ts';
import { tellToolFailures } from '../entries/tell-tool-failures.ts';
import { createOpenHeaders, createOpenToolKey } from '../mcp/tool-keys.ts';
import { servedApps } from './app-names.ts';
import { type AppsFolder, findAppsFolder } from './apps-folder.ts';
import type { AppsConfig } from './apps-config.ts';
import { openTools } from './open-tools.ts';
import { watchApps } from './watch-apps.ts';

/** The apps that there are, and the parts that they are made of. */
export interface OpenApps {
  readonly registry: Registry;
  readonly agentApps: AgentApps;
  readonly apps: AppFinder;
  readonly models: Models;
  readonly checkModel: CheckModel;
  /** Mistakes of an entry of `tools` of an agent that is a record. */
  readonly checkTool: CheckTool;
  /** Addresses that a `model_api_base` without a key may have. */
  readonly apiBases: AddressPolicy;
  /** Spreads the work of runs and of their tools over rounds of the event loop. */
  readonly steps: AccountSteps;
}

export interface AppsDeps {
  readonly host: Pick<Host, 'log' | 'mesh' | 'metrics' | 'resources'>;
  readonly db: Database;
  readonly use: ModelUse;
}

/**
 * Loads the apps of `AGENTS_DIR` and watches the folder until the host closes; agents that are records are loaded when they are used.
 * Throws SettingsError when `AGENTS_DIR` cannot be read.
 */
export async function openApps({ host, db, use }: AppsDeps, settings: AppsConfig): Promise<OpenApps> {
  const { log, resources } = host;
  const { dir, only } = await findFolder('AGENTS_DIR', settings.agentsDir);
  if (only !== undefined) log.info({ app: only }, 'AGENTS_DIR is the folder of one app');
  const config = { ...settings, agentsDir: dir, apps: servedApps(settings.apps, only) };
  const { modelCalls: maxModelCalls } = config.limits;
  const policy = createAddressPolicy(config.models.allow ?? []);
  const { fetch: guardedFetch } = resources.use(createGuardedApiFetch({ policy }));
  const onFailure = (failure: object) => log.warn(failure, 'model call failed');
  const models = createModels(config.models, { onFailure, use, meter: createModelMeter(host.metrics), guardedFetch });
  const toolKeys = host.mesh.client(ToolKeysService);
  const openKey = createOpenToolKey(toolKeys, config.outageMs);
  const openHeaders = createOpenHeaders(toolKeys, config.outageMs);
  const steps = new AccountSteps();
  const tools = openTools({ log, resources, steps, openKey, openHeaders }, config);
  const toolTimeoutMs = config.tools.timeoutMs;
  const { cooldownMs: modelCooldownMs = 0 } = config.models;
  const limits = { maxModelCalls, toolTimeoutMs, modelCooldownMs };
  const codeApps = resources.use(createCodeApps({ config: config.code, limits, models, fetch: tools.fetch, log }));
  const parts = { models, toolTimeoutMs, maxModelCalls, toolHooks: tellToolFailures(log) };
  const { ofFiles, ofRecords, remoteAgents, openLinks } = tools;
  const created = await createRegistry({
    dir,
    served: config.apps,
    log,
    codeApps,
    ...parts,
    tools: ofFiles,
    remoteAgents,
    openLinks,
  });
  const registry = resources.use(created);
  const watch = resources.use(await watchApps({ dir, only, registry, log }));
  const agentApps = createAgentApps({ db, ...parts, tools: ofRecords });
  const checkModel = (name: string) => models.problemWith(name);
  const checkTool: CheckTool = (entry) => tools.ofRecords.check(entry);
  const apps = createAppFinder({
    registry,
    agents: agentApps,
    watch,
    served: config.apps,
    refusesMistakes: config.refusesMistakes,
  });
  return { registry, agentApps, apps, models, checkModel, checkTool, apiBases: policy, steps };
}

async function findFolder(variable: string, folder: string): Promise<AppsFolder> {
  try {
    return await findAppsFolder(folder);
  } catch {
    throw new SettingsError(new Map([[variable, `names a folder that cannot be read: ${folder}`]]));
  }
}
