import { EchoLlm } from '../../../../models/echo/echo-llm.ts';
import { buildAgent } from '../../../building/agents/build-agent.ts';
import { codeOfEntry, createCodeResolver } from '../../../entries/code-resolver.ts';
import type { AgentFile } from '../../../files/load-agent-files.ts';
import { AppFilesError } from '../../../definition/mistake.ts';
import { createBuiltInResolver } from '../../../entries/built-in-resolver.ts';
import type { ToolHooks } from '../../../entries/guard-tool.ts';
import { createToolResolvers } from '../../../entries/tool-resolvers.ts';
import type { LoadRequest } from '../../protocol.ts';
import type { Channel } from '../channel.ts';
import { createHostAgents } from '../elsewhere/host-agents.ts';
import { createHostFetch } from '../elsewhere/host-fetch.ts';
import { createHostMcpResolver } from '../elsewhere/host-mcp.ts';
import { HostLlm } from '../host-llm.ts';
import { checkTree } from './check-tree.ts';
import { placeOfError } from './place-of-error.ts';
import type { FoundRoot } from './root-of-module.ts';
import { toolOfExport } from './tool-of-export.ts';
import { findExports } from './find-exports.ts';

export interface DefinitionDeps {
  readonly channel: Channel;
  readonly toolHooks: ToolHooks;
}

/** Makes the agents of `root_agent.yaml`, which names exports of the app's modules. */
export async function loadDefinition(request: LoadRequest, file: AgentFile, deps: DefinitionDeps): Promise<FoundRoot> {
  const { channel, toolHooks } = deps;
  const { appName, maxModelCalls, toolTimeoutMs } = request;
  const exports = await findExports(request, file);
  const builtIn = createBuiltInResolver({ fetch: createHostFetch(channel) });
  const code = createCodeResolver((entry) => {
    const found = exports.get(codeOfEntry(entry) ?? '');
    return found && toolOfExport(found, entry);
  });
  const models = {
    resolve: (name: string, _?: object, mostRetries?: number) =>
      name.startsWith('echo/') ? new EchoLlm({ model: name }) : new HostLlm(name, channel, mostRetries),
    problemWith: () => undefined,
    cooldownMs: request.modelCooldownMs,
  };
  const findCode = (name: string): unknown => exports.get(name)?.value;
  const tools = createToolResolvers([builtIn, code, createHostMcpResolver(channel, file)]);
  const remoteAgents = createHostAgents(channel);
  const parts = { models, tools, remoteAgents, findCode, toolHooks, maxModelCalls, toolTimeoutMs };
  try {
    const root = buildAgent(appName, file, parts);
    checkTree(root);
    return { root, plugins: [] };
  } catch (error) {
    throw new AppFilesError([placeOfError(error, request.folder, file.file)]);
  }
}
