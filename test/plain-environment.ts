/** What a process that a test starts takes over from the environment. Everything else is set by the test. */
export const plainEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  ['PATH', 'HOME', 'NODE_COMPILE_CACHE'].flatMap((name) => {
    const value = process.env[name];
    return value === undefined ? [] : [[name, value]];
  }),
);
