import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import type { EntryMistake } from '../definition/tool-resolver.ts';
import { agentOfTool } from '../entries/agent-tool-args.ts';
import {
  type AgentDefinition,
  isLlmDefinition,
  isOwnClass,
  type RemoteAgentDefinition,
} from '../definition/agent-definition.ts';
import { suggest } from '../../closest-name.ts';
import { summarizerModel } from '../definition/settings/compaction-keys.ts';
import { AppFilesError, type Mistake, Mistakes } from '../definition/mistake.ts';
import { type Path, parseYaml, type YamlFile } from '../definition/parse-yaml.ts';
import { type DefinitionChecks, readDefinition } from './read-definition.ts';
import { rootFile, rootFileMissing } from './root-file.ts';
import { rootKeys } from '../definition/settings/root-keys.ts';

/** An agent's file with those of its sub-agents. */
export interface AgentFile {
  /** Path inside the app's folder. */
  readonly file: string;
  readonly definition: AgentDefinition;
  readonly subAgents: readonly AgentFile[];
  /** Agents that are tools, by the place of their entry in `tools`. */
  readonly toolAgents?: ReadonlyMap<number, AgentFile>;
  /** How its model is reached; absent: by the settings of the server. */
  readonly access?: { readonly keyId?: bigint; readonly modelApiBase?: string };
}

/** The files of an app. */
export interface AgentFiles {
  readonly root: AgentFile;
  /** All texts that were read: equal texts make an equal app. */
  readonly text: string;
  /** The mistake with its place, where its file is one of these. */
  place(mistake: Mistake): Mistake;
}

export interface LoadOptions extends DefinitionChecks {
  /** Says what is wrong with the name of a model; undefined when nothing is. */
  readonly checkModel: (name: string) => string | undefined;
  /** Mistakes of an agent that runs elsewhere. */
  readonly checkRemote?: (definition: RemoteAgentDefinition) => readonly EntryMistake[];
}

const maxFileBytes = 256 * 1024;
const maxFiles = 100;
const outside = 'lies outside the folder of the app';

/**
 * Reads `root_agent.yaml` and every file that it names as a sub-agent. Files are looked for inside the folder alone, links
 * followed. Throws AppFilesError with all mistakes of all files, and the system's error when there is no folder.
 */
export async function loadAgentFiles(folder: string, options: LoadOptions): Promise<AgentFiles> {
  const walk: Walk = {
    ...options,
    folder: await realpath(folder),
    files: [],
    texts: [],
    yaml: new Map(),
    names: new Set(),
    mistakes: new Mistakes(),
  };
  const path = await realpath(join(walk.folder, rootFile)).catch(() => undefined);
  if (path === undefined) throw new AppFilesError([await rootFileMissing(walk.folder)], { isRootMissing: true });
  if (!isInside(walk.folder, path)) throw new AppFilesError([{ file: rootFile, key: '', reason: outside }]);
  const root = await loadFile(walk, path, { paths: [], giveModel: false });
  walk.mistakes.throwIfAny(walk.files);
  if (root === undefined) throw new AppFilesError([{ file: rootFile, key: '', reason: 'cannot be used' }]);
  const place = (mistake: Mistake): Mistake =>
    mistake.at === undefined
      ? (walk.yaml.get(mistake.file)?.mistake(mistake.key.split('.'), mistake.reason) ?? mistake)
      : mistake;
  return { root, text: walk.texts.join('\0'), place };
}

interface Walk extends LoadOptions {
  readonly folder: string;
  readonly files: string[];
  readonly texts: string[];
  readonly yaml: Map<string, YamlFile>;
  readonly names: Set<string>;
  readonly mistakes: Mistakes;
}

/** The agents above a file. */
interface Parents {
  readonly paths: readonly string[];
  /** Whether one of them has a model, which the file then need not name. */
  readonly giveModel: boolean;
}

async function loadFile(walk: Walk, path: string, parents: Parents): Promise<AgentFile | undefined> {
  const file = relative(walk.folder, path);
  const text = await readText(walk, path, file);
  const yaml = text === undefined ? undefined : parseYaml(file, text, walk.mistakes);
  if (yaml === undefined) return undefined;
  walk.yaml.set(file, yaml);
  const { definition, mistakes } = readDefinition(yaml, walk);
  for (const mistake of mistakes) walk.mistakes.add(mistake);
  if (definition?.agent_class === 'RemoteA2aAgent') checkRemote(walk, yaml, definition);
  const { name, agent_class: agentClass } = fieldsOf(yaml.value);
  checkName(walk, yaml, name);
  if (parents.paths.length > 0) checkRootKeys(walk, yaml);
  else checkSummarizer(walk, yaml);
  const isOwn = definition !== undefined && isOwnClass(definition);
  const isLlm = definition === undefined ? !isWorkflow(agentClass) : isLlmDefinition(definition);
  if (isLlm || isOwn) checkModel(walk, yaml, parents.giveModel || isOwn);
  const below = { from: path, paths: [...parents.paths, path] };
  const giveModel = parents.giveModel || isLlm || isOwn;
  const subAgents = await loadFiles(walk, yaml, { ...below, giveModel, named: subAgentPaths(yaml) });
  // An agent that is a tool is in no tree, so it inherits no model.
  const toolAgents = await loadFiles(walk, yaml, { ...below, giveModel: false, named: toolAgentPaths(definition) });
  if (definition === undefined) return undefined;
  return { file, definition, subAgents: [...subAgents.values()], ...(toolAgents.size > 0 && { toolAgents }) };
}

async function readText({ files, texts, mistakes }: Walk, path: string, file: string): Promise<string | undefined> {
  if (files.length >= maxFiles) {
    mistakes.add({ file, key: '', reason: `is one file more than the ${maxFiles} that an app may have` });
    return undefined;
  }
  files.push(file);
  try {
    const { size } = await stat(path);
    if (size > maxFileBytes) {
      mistakes.add({ file, key: '', reason: `is larger than ${maxFileBytes} bytes` });
      return undefined;
    }
    const text = await readFile(path, 'utf8');
    texts.push(text);
    return text;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    mistakes.add({ file, key: '', reason: `cannot be read (${code})` });
    return undefined;
  }
}

/** The value of a file that may hold mistakes. */
function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {};
}

function isWorkflow(agentClass: unknown): boolean {
  return typeof agentClass === 'string' && agentClass !== 'LlmAgent';
}

/** The keys about the runs of an app have no effect in the file of a sub-agent. */
function checkRootKeys({ mistakes }: Walk, yaml: YamlFile): void {
  const fields = fieldsOf(yaml.value);
  for (const key of Object.keys(rootKeys)) {
    if (fields[key] !== undefined)
      mistakes.add(yaml.mistake([key], `belongs into ${rootFile}: it is about the whole app`));
  }
}

function checkSummarizer({ mistakes, checkModel }: Walk, yaml: YamlFile): void {
  const model = summarizerModel(fieldsOf(yaml.value));
  const reason = model === undefined || model === '' ? undefined : checkModel(model);
  const path = ['events_compaction_config', 'summarizer', 'model'];
  if (reason !== undefined) mistakes.add(yaml.mistake(path, reason));
}

function checkName({ names, mistakes }: Walk, yaml: YamlFile, name: unknown): void {
  if (typeof name !== 'string') return;
  if (names.has(name)) mistakes.add(yaml.mistake(['name'], `"${name}" is the name of another agent of the app`));
  names.add(name);
}

/** `isGiven`: an agent above has a model, or code may give one. */
function checkModel(walk: Walk, yaml: YamlFile, isGiven: boolean): void {
  const { model, model_code: code } = fieldsOf(yaml.value);
  if (model === undefined && code === undefined && !isGiven) walk.mistakes.add(yaml.mistake(['model'], 'is required'));
  for (const [index, name] of [model].flat().entries()) {
    const reason = typeof name === 'string' && name !== '' ? walk.checkModel(name) : undefined;
    if (reason !== undefined)
      walk.mistakes.add(yaml.mistake(Array.isArray(model) ? ['model', index] : ['model'], reason));
  }
}

function checkRemote(walk: Walk, yaml: YamlFile, definition: RemoteAgentDefinition): void {
  for (const { path, reason } of walk.checkRemote?.(definition) ?? []) walk.mistakes.add(yaml.mistake(path, reason));
}

/** A file that another one names. */
interface NamedFile {
  readonly key: Path;
  readonly index: number;
  readonly configPath: unknown;
}

interface NamedFiles extends Parents {
  /** The file that names them. */
  readonly from: string;
  readonly named: readonly NamedFile[];
}

function subAgentPaths({ value }: YamlFile): NamedFile[] {
  const items: unknown = fieldsOf(value)['sub_agents'];
  return (Array.isArray(items) ? items : []).map((item, index) => {
    return { key: ['sub_agents', index, 'config_path'], index, configPath: fieldsOf(item)['config_path'] };
  });
}

function toolAgentPaths(definition: AgentDefinition | undefined): NamedFile[] {
  const entries = definition !== undefined && 'tools' in definition ? (definition.tools ?? []) : [];
  return entries.map((entry, index) => {
    return {
      key: ['tools', index, 'args', 'agent', 'config_path'],
      index,
      configPath: agentOfTool(entry)?.config_path,
    };
  });
}

/** Agents by the place of their names in the list. */
async function loadFiles(
  walk: Walk,
  yaml: YamlFile,
  { from, named, ...parents }: NamedFiles,
): Promise<Map<number, AgentFile>> {
  const loaded = new Map<number, AgentFile>();
  for (const { key, index, configPath } of named) {
    if (walk.mistakes.full) break;
    if (typeof configPath !== 'string' || configPath === '') continue;
    const found = await findSubAgent(walk.folder, { from, configPath, above: parents.paths });
    if ('reason' in found) {
      walk.mistakes.add(yaml.mistake(key, found.reason));
      continue;
    }
    const agent = await loadFile(walk, found.path, parents);
    if (agent !== undefined) loaded.set(index, agent);
  }
  return loaded;
}

interface SubAgentReference {
  readonly from: string;
  readonly configPath: string;
  /** Files of the agents above. */
  readonly above: readonly string[];
}

async function findSubAgent(
  folder: string,
  { from, configPath, above }: SubAgentReference,
): Promise<{ path: string } | { reason: string }> {
  const path = join(dirname(from), configPath);
  if (configPath.startsWith(sep) || !isInside(folder, path)) return { reason: outside };
  const target = await realpath(path).catch(() => undefined);
  if (target === undefined) {
    const siblings = await readdir(dirname(path)).catch(() => []);
    const paths = siblings.map((name) => join(dirname(configPath), name));
    return { reason: `"${configPath}" is not a file of the app.${suggest(configPath, paths)}` };
  }
  if (!isInside(folder, target)) return { reason: outside };
  return above.includes(target) ? { reason: 'leads back to an agent above it' } : { path: target };
}

function isInside(folder: string, path: string): boolean {
  return path.startsWith(folder + sep);
}
