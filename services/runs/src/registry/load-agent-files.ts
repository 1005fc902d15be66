import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { type AgentDefinition, readDefinition } from './agent-definition.ts';
import { AppFileError } from './app-file-error.ts';
import { parseYaml } from './parse-yaml.ts';

/** An agent's file with those of its sub-agents. */
export interface AgentFile {
  readonly definition: AgentDefinition;
  readonly subAgents: readonly AgentFile[];
  /** An error that points into this file. */
  readonly fail: (path: readonly (string | number)[], reason: string) => AppFileError;
}

/** What an app's folder holds. */
export interface AgentFiles {
  readonly root: AgentFile;
  /** All texts that were read: equal texts make an equal app. */
  readonly text: string;
}

export const rootFile = 'root_agent.yaml';
const maxFileBytes = 256 * 1024;
const maxFiles = 100;

/**
 * Reads `root_agent.yaml` and every file that it names as a sub-agent. Files are looked for inside the folder alone, links
 * followed. Throws AppFileError for what cannot be used, and the system's error when `root_agent.yaml` is absent.
 */
export async function loadAgentFiles(folder: string): Promise<AgentFiles> {
  const walk: Walk = { folder: await realpath(folder), texts: [], names: new Set() };
  const path = await realpath(join(walk.folder, rootFile));
  if (!isInside(walk.folder, path)) throw new AppFileError({ file: rootFile }, 'lies outside the folder of the app');
  const root = await loadFile(walk, path, []);
  return { root, text: walk.texts.join('\0') };
}

interface Walk {
  readonly folder: string;
  readonly texts: string[];
  readonly names: Set<string>;
}

async function loadFile(walk: Walk, path: string, parents: readonly string[]): Promise<AgentFile> {
  const file = relative(walk.folder, path);
  if (walk.texts.length >= maxFiles) throw new AppFileError({ file }, `is one file more than ${maxFiles}`);
  const text = await readText(path, file);
  walk.texts.push(text);
  const yaml = parseYaml(file, text);
  const definition = readDefinition(yaml);
  if (walk.names.has(definition.name)) throw yaml.fail(['name'], `"${definition.name}" names another agent of the app`);
  walk.names.add(definition.name);
  const subAgents: AgentFile[] = [];
  for (const [index, subAgent] of (definition.sub_agents ?? []).entries()) {
    const fail = (reason: string): AppFileError => yaml.fail(['sub_agents', index, 'config_path'], reason);
    const found = await findSubAgent(walk.folder, { from: path, configPath: subAgent.config_path, fail });
    if (found === path || parents.includes(found)) throw fail('leads back to an agent above it');
    subAgents.push(await loadFile(walk, found, [...parents, path]));
  }
  return { definition, subAgents, fail: (place, reason) => yaml.fail(place, reason) };
}

async function readText(path: string, file: string): Promise<string> {
  const { size } = await stat(path);
  if (size > maxFileBytes) throw new AppFileError({ file }, `is larger than ${maxFileBytes} bytes`);
  return readFile(path, 'utf8');
}

interface SubAgentReference {
  readonly from: string;
  readonly configPath: string;
  readonly fail: (reason: string) => AppFileError;
}

async function findSubAgent(folder: string, reference: SubAgentReference): Promise<string> {
  const path = join(dirname(reference.from), reference.configPath);
  if (reference.configPath.startsWith(sep) || !isInside(folder, path)) {
    throw reference.fail('lies outside the folder of the app');
  }
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) throw reference.fail('names a file that is not there');
  if (!isInside(folder, target)) throw reference.fail('lies outside the folder of the app');
  return target;
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}
