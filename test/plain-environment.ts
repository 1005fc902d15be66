import { join } from 'node:path';

/** File that Node runs for `main.ts` of this repository: the bundle that `npm test` has made of it, or the source. */
export const mainOfProduct =
  process.env.AGENT_MESH_BUNDLE === undefined ? 'main.ts' : join(process.env.AGENT_MESH_BUNDLE, 'main.mjs');

/** The variables that a process started by a test inherits. The test sets everything else. */
export const plainEnvironment = inherited('PATH', 'HOME', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX');

/** The same for a process whose home is another one. Without compiled code a program in TypeScript takes three times as long to start. */
export const homelessEnvironment = inherited('PATH', 'NODE_COMPILE_CACHE');

function inherited(...names: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
