import { Type } from 'typebox';
import Value from 'typebox/value';
import type { EntryMistake, ToolEntry, ToolResolver } from '../definition/tool-resolver.ts';
import { isDotted } from '../definition/dotted.ts';

/** ADK's name of the entry whose `args.func` names a function that answers later. */
export const longRunningTool = 'LongRunningFunctionTool';

const LongRunningArgs = Type.Object({ func: Type.String() }, { additionalProperties: false });

/** The dotted name of an entry that names code; undefined for other entries. */
export function codeOfEntry({ name, args }: ToolEntry): string | undefined {
  if (name !== longRunningTool) return isDotted(name) ? name : undefined;
  return Value.Check(LongRunningArgs, args) && isDotted(args.func) ? args.func : undefined;
}

/** Entries such as `tools.get_weather`, which name exports of the app's modules. `make` finds the tool; modules run in workers only. */
export function createCodeResolver(make: ToolResolver['make']): ToolResolver {
  return {
    names: [longRunningTool],
    owns: (name) => name === longRunningTool || isDotted(name),
    check: (entry) => (codeOfEntry(entry) === undefined ? [noFunction] : []),
    make,
  };
}

const noFunction: EntryMistake = {
  path: ['args'],
  reason: 'must hold "func" alone: the module and the name of a function, e.g. tools.ask',
};

/** For this process, where no code of apps runs. */
export const codeElsewhere = createCodeResolver(({ name }) => {
  throw new Error(`The tool "${name}" is code of an app, which runs in a worker.`);
});
