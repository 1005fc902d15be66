import { EchoLlm } from '../../../models/echo/echo-llm.ts';
import { buildAgent } from '../../../registry/agents/build-agent.ts';
import { namedCallbacks } from '../../../registry/agents/callbacks.ts';
import type { AgentFile } from '../../../registry/files/load-agent-files.ts';
import { AppFilesError, type Mistake } from '../../../registry/files/mistake.ts';
import { createBuiltInResolver } from '../../../registry/tools/built-in-resolver.ts';
import { createCodeResolver, isDotted } from '../../../registry/tools/code-resolver.ts';
import type { ToolHooks } from '../../../registry/tools/guard-tool.ts';
import { createToolResolvers } from '../../../registry/tools/tool-resolvers.ts';
import type { LoadRequest } from '../../protocol.ts';
import type { Channel } from '../channel.ts';
import { type Export, findExport } from './exports.ts';
import { createHostAgents } from '../elsewhere/host-agents.ts';
import { createHostFetch } from '../elsewhere/host-fetch.ts';
import { createHostMcpResolver } from '../elsewhere/host-mcp.ts';
import { HostLlm } from '../host-llm.ts';
import { placeOfError } from './place-of-error.ts';
import type { FoundRoot } from './root-of-module.ts';
import { toolOfExport } from './tool-of-export.ts';

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
  const code = createCodeResolver(({ name }) => {
    const found = exports.get(name);
    return found && toolOfExport(found);
  });
  const models = {
    resolve: (name: string) => (name.startsWith('echo/') ? new EchoLlm({ model: name }) : new HostLlm(name, channel)),
    problemWith: () => undefined,
  };
  const findCallback = (name: string): unknown => exports.get(name)?.value;
  const tools = createToolResolvers([builtIn, code, createHostMcpResolver(channel, file)]);
  const remoteAgents = createHostAgents(channel);
  const limits = { maxModelCalls, toolTimeoutMs };
  try {
    return {
      root: buildAgent(appName, file, { models, tools, remoteAgents, findCallback, toolHooks, ...limits }),
      plugins: [],
    };
  } catch (error) {
    throw new AppFilesError([placeOfError(error, request.folder, file.file)]);
  }
}

/** A dotted name of a file, and what it may stand for. */
interface Named {
  readonly file: string;
  readonly key: string;
  readonly name: string;
  readonly problemWith: (found: Export) => string | undefined;
}

const noTool = (found: Export) =>
  toolOfExport(found) === undefined ? 'is neither a tool of ADK nor an agent nor a function' : undefined;
const noFunction = ({ value }: Export) => (typeof value === 'function' ? undefined : 'is not a function');

function namesOf({ file, definition, subAgents }: AgentFile): Named[] {
  const entries = 'tools' in definition ? (definition.tools ?? []) : [];
  const tools = entries.map(({ name }, index) => ({ file, key: `tools.${index}.name`, name, problemWith: noTool }));
  const callbacks = namedCallbacks(definition).map(({ key, index, name }) => {
    return { file, key: `${key}.${index}.name`, name, problemWith: noFunction };
  });
  return [...tools.filter(({ name }) => isDotted(name)), ...callbacks, ...subAgents.flatMap(namesOf)];
}

/** All exports that an app's files name. */
async function findExports({ folder, appName }: LoadRequest, file: AgentFile): Promise<Map<string, Export>> {
  const found = new Map<string, Export>();
  const mistakes: Mistake[] = [];
  for (const { name, key, file: at, problemWith } of namesOf(file)) {
    try {
      const value = found.get(name) ?? (await findExport(name, folder, appName));
      const problem = problemWith(value);
      if (problem !== undefined) mistakes.push({ file: at, key, reason: `"${name}" ${problem}` });
      found.set(name, value);
    } catch (error) {
      const place = placeOfError(error, folder, '');
      mistakes.push(place.file === '' ? { file: at, key, reason: messageOf(error) } : place);
    }
  }
  if (mistakes.length > 0) throw new AppFilesError(mistakes);
  return found;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
