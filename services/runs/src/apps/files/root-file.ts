import { readdir } from 'node:fs/promises';
import { closestName } from '../../closest-name.ts';
import type { Mistake } from '../definition/mistake.ts';

/** The file of an app's folder that makes it an app. */
export const rootFile = 'root_agent.yaml';
/** Files that make it one in code, in the order in which they are looked for. */
const entries = ['app', 'agent'].flatMap((name) =>
  ['ts', 'js', 'mts', 'mjs', 'cts', 'cjs'].map((end) => `${name}.${end}`),
);

/** The file of a folder that exports a root agent; undefined where agents are described in YAML, or not at all. */
export async function findEntry(folder: string): Promise<string | undefined> {
  const files = new Set(await readdir(folder));
  return files.has(rootFile) ? undefined : entries.find((name) => files.has(name));
}

/** The mistake of a folder that has no `root_agent.yaml`; its reason says what to do. */
export async function rootFileMissing(folder: string): Promise<Mistake> {
  const files = await readdir(folder);
  if (files.length === 0) {
    return { file: '', key: '', reason: `the folder is empty: put a ${rootFile} or an agent.ts into it or remove it` };
  }
  const misnamed = closestName(rootFile, files);
  if (misnamed !== undefined) return { file: misnamed, key: '', reason: `rename this file to ${rootFile}` };
  const python = ['agent.py', '__init__.py'].find((name) => files.includes(name));
  if (python !== undefined) {
    return {
      file: python,
      key: '',
      reason: `Python is not run here: describe the agent in ${rootFile}, or write it in agent.ts (docs/agents-in-code.md)`,
    };
  }
  return {
    file: '',
    key: '',
    reason: `the folder has no ${rootFile} and no agent.ts: add one (docs/agents.md) or move the folder away`,
  };
}
