import { readdir } from 'node:fs/promises';
import { closestName } from './closest-name.ts';
import type { Mistake } from './mistake.ts';

/** The file of an app's folder that makes it an app. */
export const rootFile = 'root_agent.yaml';

/** The mistake of a folder that has no `root_agent.yaml`; its reason says what to do. */
export async function rootFileMissing(folder: string): Promise<Mistake> {
  const files = await readdir(folder);
  if (files.length === 0) {
    return { file: '', key: '', reason: `the folder is empty: put a ${rootFile} into it or remove it` };
  }
  const misnamed = closestName(rootFile, files);
  if (misnamed !== undefined) return { file: misnamed, key: '', reason: `rename this file to ${rootFile}` };
  const python = ['agent.py', '__init__.py'].find((name) => files.includes(name));
  if (python !== undefined) {
    return {
      file: python,
      key: '',
      reason: `Python is not run here: describe the agent in ${rootFile} (docs/agents.md)`,
    };
  }
  return {
    file: '',
    key: '',
    reason: `the folder has no ${rootFile}: add one (docs/agents.md) or move the folder away`,
  };
}
