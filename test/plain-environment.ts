/** The variables that a process started by a test inherits. The test sets everything else. */
export const plainEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'HOME', 'NODE_COMPILE_CACHE', 'MALLOC_ARENA_MAX'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
