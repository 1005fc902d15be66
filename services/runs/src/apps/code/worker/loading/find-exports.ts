import { codeNames, type CodeName } from '../../../building/code-names.ts';
import { agentsBelow } from '../../../files/agents-below.ts';
import type { AgentFile } from '../../../files/load-agent-files.ts';
import { AppFilesError, type Mistake } from '../../../definition/mistake.ts';
import type { LoadRequest } from '../../protocol.ts';
import { type Export, findExport } from './exports.ts';
import { placeOfError } from './place-of-error.ts';
import { problemOfCode } from './problem-of-code.ts';

interface Named extends CodeName {
  readonly file: string;
}

function namesOf(agent: AgentFile): Named[] {
  const own = codeNames(agent.definition).map((name) => ({ ...name, file: agent.file }));
  return [...own, ...agentsBelow(agent).flatMap(namesOf)];
}

/** All exports that an app's files name. */
export async function findExports({ folder, appName }: LoadRequest, file: AgentFile): Promise<Map<string, Export>> {
  const found = new Map<string, Export>();
  const mistakes: Mistake[] = [];
  for (const named of namesOf(file)) {
    const { name, key, file: at } = named;
    try {
      const value = found.get(name) ?? (await findExport(name, folder, appName));
      const problem = problemOfCode(named, value);
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
