import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** An export that a dotted name stands for. */
export interface Export {
  readonly value: unknown;
  /** The module that has it, by its exports. */
  readonly module: Readonly<Record<string, unknown>>;
  /** Path of the module. */
  readonly path: string;
  /** Name of the export. */
  readonly name: string;
}

const endings = ['.ts', '.js', '.mts', '.mjs', '.cjs', '/index.ts', '/index.js'];

/**
 * Finds what `tools.get_weather` stands for: the export `get_weather` of `tools.ts` in the app's folder. The name may begin
 * with the app's own, as in ADK for Python. Throws an error for the app's author, and the module's own.
 */
export async function findExport(dotted: string, folder: string, appName: string): Promise<Export> {
  const steps = dotted.split('.');
  const found = findModule(steps, folder) ?? (steps[0] === appName ? findModule(steps.slice(1), folder) : undefined);
  if (found === undefined)
    throw new Error(`"${dotted}": there is no ${steps.slice(0, -1).join('/')}.ts or .js in the app's folder`);
  const { path, rest } = found;
  const module = (await import(pathToFileURL(path).href)) as Record<string, unknown>;
  let value: unknown = module;
  for (const step of rest) value = typeof value === 'object' && value !== null ? Reflect.get(value, step) : undefined;
  if (value === undefined) {
    const names = Object.keys(module).join(', ') || 'nothing';
    throw new Error(`"${dotted}": the module exports no ${rest.join('.')}; it exports ${names}`);
  }
  return { value, module, path, name: rest.at(-1) ?? '' };
}

/** The longest path of steps that is a module, and the steps inside it. */
function findModule(steps: readonly string[], folder: string): { path: string; rest: readonly string[] } | undefined {
  for (let length = steps.length - 1; length > 0; length--) {
    const stem = join(folder, ...steps.slice(0, length));
    const ending = endings.find((end) => existsSync(stem + end));
    if (ending !== undefined) return { path: stem + ending, rest: steps.slice(length) };
  }
  return undefined;
}
