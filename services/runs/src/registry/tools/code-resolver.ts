import type { ToolResolver } from './tool-resolver.ts';

const dotted = /^[A-Za-z_][\w-]*(?:\.[A-Za-z_$][\w$]*)+$/;

/** Whether a name stands for an export of a module in the app's folder. */
export function isDotted(name: string): boolean {
  return dotted.test(name);
}

/** Entries such as `tools.get_weather`, which name exports of the app's modules. `make` finds the tool; modules run in workers only. */
export function createCodeResolver(make: ToolResolver['make']): ToolResolver {
  return { names: [], owns: isDotted, check: () => [], make };
}

/** For this process, where no code of apps runs. */
export const codeElsewhere = createCodeResolver(({ name }) => {
  throw new Error(`The tool "${name}" is code of an app, which runs in a worker.`);
});
