import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { atHome, repository } from './at-home.mjs';

const dayMs = 24 * 60 * 60 * 1000;
const written = { format: 'esm', comments: false, chunkFileNames: '[name]-[hash].mjs' };
const common = { cwd: repository, platform: 'node', onLog: refuseMissing, tsconfig: false };
/** A running process keeps its folder, of which it may load something later. In an image it may not, and need not. */
const renewal = `setInterval(() => {
  process.getBuiltinModule('fs').utimes(import.meta.dirname, new Date(), new Date(), () => undefined);
}, ${dayMs}).unref();`;

/** Folder, within the bundle, of the process that runs the code of apps. */
const workerFolder = 'worker';
const runs = join(repository, 'services/runs');
/** Packages that the code of an app shares with its worker: an agent of another copy of ADK would not be one there. */
const shared = ['@google/adk', '@google/genai', 'zod'];

/** Packages of which only the parts that are used are bundled: loading the others changes nothing. */
const withoutEffects = /\/node_modules\/(@google\/(adk|genai)|google-auth-library|p-retry|ws)\//;
/**
 * Modules that ADK loads and the product never asks, and what stands in for them: Google's SDK is reached through `google_llm.js`, where the product calls models itself,
 * and the product sets a logger of its own.
 */
const unasked = {
  './google_llm.js': `export const isGemini = () => false;
    export const geminiInitParams = undefined;
    export class Gemini { static supportedModels = []; }`,
  winston: `const none = () => none;
    export const format = Object.assign(() => none, { combine: none, label: none, colorize: none, timestamp: none, printf: none });
    export const transports = { Console: class {} };
    export const createLogger = () => ({ log: none, debug: none, info: none, warn: none, error: none });`,
};
const workerEntry = `export const workerEntry =
  process.getBuiltinModule('url').fileURLToPath(new URL('./${workerFolder}/start.mjs', import.meta.url));`;

/** The programs of the product, with only what they use. */
export function programs(dir) {
  const standInOf = (source, importer) => {
    if (source.endsWith('/worker-entry.ts')) return workerEntry;
    return /\/@google\/adk\//.test(importer) ? unasked[source.replace(/^.*(?=\/google_llm\.js$)/, '.')] : undefined;
  };
  return {
    input: {
      ...common,
      input: { main: join(repository, 'main.ts'), dev: join(repository, 'scripts/dev.ts') },
      treeshake: { moduleSideEffects: (id) => (withoutEffects.test(id) ? false : undefined) },
      plugins: [atHome(dir, standInOf)],
    },
    output: {
      ...written,
      dir,
      entryFileNames: '[name].mjs',
      sourcemap: true,
      sourcemapExcludeSources: true,
      banner: ({ isEntry }) => (isEntry ? renewal : ''),
    },
  };
}

/** The process that runs the code of apps, with all that such code may import of the packages that it shares: an entry for each name of theirs. */
export function worker(bundle) {
  const dir = join(bundle, workerFolder);
  const names = shared.flatMap(namesOf);
  const fileOf = (name) => `${name.replaceAll('/', '+')}.mjs`;
  const files = JSON.stringify(names.map((name) => [name, fileOf(name)]));
  const sharedModule = `const files = new Map(${files});
    export const sharedModule = (name) => files.has(name) ? new URL(files.get(name), import.meta.url).href : undefined;`;
  return {
    input: {
      ...common,
      cwd: runs,
      input: {
        start: join(runs, 'src/apps/code/worker/start.ts'),
        ...Object.fromEntries(names.map((name) => [name, name])),
      },
      plugins: [atHome(dir, (source) => (source.endsWith('/shared-module.ts') ? sharedModule : undefined))],
    },
    output: { ...written, dir, entryFileNames: ({ name }) => fileOf(name) },
  };
}

/** Names under which the modules of a package are imported, but for patterns and what is not for Node. */
function namesOf(name) {
  const { exports } = JSON.parse(readFileSync(join(runs, 'node_modules', name, 'package.json'), 'utf8'));
  const paths = Object.keys(exports).filter((path) => !/\*|\.json$|\/web$/.test(path));
  return paths.map((path) => name + path.slice(1));
}

/** Refuses an export that its module lacks, which would be undefined at run time, e.g. a getter of `node:http` that `costlyImports` leaves out. */
function refuseMissing(_, { code, message }) {
  if (code === 'MISSING_EXPORT' || code === 'IMPORT_IS_UNDEFINED') throw new Error(message);
}
