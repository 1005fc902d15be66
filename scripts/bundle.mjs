// Bundles the product into some files below `node_modules/.bundle`, which start in half of the processor time and with two thirds of the memory: Node finds, reads and
// links a hundred modules in place of two thousand, and strips no types. Each state of the sources has a folder of its own, so that processes of an earlier one still find
// what they load later. Prints the folder; nothing where Vite is not installed, as with the dependencies of production alone: then the sources run as they are.
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const repository = fileURLToPath(new URL('..', import.meta.url));
const dayMs = 24 * 60 * 60 * 1000;
/** Time for which a folder is kept that no process has renewed. */
const keptMs = 7 * dayMs;
const entries = { main: 'main.ts', dev: 'scripts/dev.ts' };
/** Packages that read files beside their own, or that replace functions of others when they are loaded. */
const unbundled = /^(@grpc\/|grpc-health-check|@fastify\/swagger-ui|@opentelemetry\/sdk-node|@aws-sdk\/)/;
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
/** Modules of Node of which an import statement reads every export, also those that load others: `WebSocket` of `http` loads undici, 34 ms and 14 MB. */
const costlyImports = Object.fromEntries(
  ['http', 'node:http', 'process', 'node:process'].map((id) => [id, gettersUnread(id)]),
);

const sources = [
  'main.ts',
  '{lib,gateway/src,services/*/src}/**/*.ts',
  'proto/**/*.{js,ts}',
  'scripts/{bundle.mjs,dev.ts,choose-ports.ts}',
  '{.,lib,gateway,proto,services/*}/package.json',
  'pnpm-lock.yaml',
  'patches/*',
];

/** Names the state of everything that is bundled. */
export function stampOf(root) {
  const exclude = (path) => /(^|\/)(node_modules|dist|test|testing)$/.test(path);
  const files = globSync(sources, { cwd: root, exclude }).filter((file) => !file.endsWith('.test.ts'));
  const hash = createHash('sha256');
  for (const file of files.toSorted()) hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  return hash.digest('hex').slice(0, 16);
}

/** The folder of the bundle of the present sources; undefined when there is none and none may be made. */
export async function bundle({ name = stampOf(repository), mayBuild = true } = {}) {
  const all = join(repository, 'node_modules', '.bundle');
  const folder = join(all, name);
  if (existsSync(folder)) {
    utimesSync(folder, new Date(), new Date());
    return folder;
  }
  const rolldown = mayBuild ? await findRolldown() : undefined;
  if (rolldown === undefined) return undefined;
  const startedAtMs = Date.now();
  removeOlder(all);
  await build(rolldown, folder);
  process.stderr.write(`agent-mesh: bundled the product in ${((Date.now() - startedAtMs) / 1000).toFixed(1)} s\n`);
  return folder;
}

/** The bundler of Vite. */
async function findRolldown() {
  try {
    const vite = createRequire(import.meta.url).resolve('vite');
    const { rolldown } = await import(pathToFileURL(createRequire(vite).resolve('rolldown')).href);
    return rolldown;
  } catch (error) {
    if (error.code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function removeOlder(all) {
  mkdirSync(all, { recursive: true });
  for (const folder of readdirSync(all).map((name) => join(all, name)))
    if (statSync(folder).mtimeMs < Date.now() - keptMs) rmSync(folder, { recursive: true, force: true });
}

/** Builds beside the folder, which is there at once or not at all. Another process may build the same. */
async function build(rolldown, folder) {
  const dir = mkdtempSync(`${folder}-`);
  const input = Object.fromEntries(Object.entries(entries).map(([name, file]) => [name, join(repository, file)]));
  const made = await rolldown({
    input,
    cwd: repository,
    platform: 'node',
    onLog: refuseMissing,
    tsconfig: false,
    treeshake: { moduleSideEffects: (id) => (withoutEffects.test(id) ? false : undefined) },
    plugins: [atHome(dir)],
  });
  const names = { entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' };
  const banner = ({ isEntry }) => (isEntry ? renewal : '');
  const written = { sourcemap: true, sourcemapExcludeSources: true, comments: false, banner };
  await made.write({ dir, format: 'esm', ...written, ...names });
  await made.close();
  // The image runs it as another user than the one that has built it.
  chmodSync(dir, 0o755);
  try {
    renameSync(dir, folder);
  } catch (error) {
    if (!existsSync(folder)) throw error;
    rmSync(dir, { recursive: true });
  }
}

/** A running process keeps its folder, of which it may load something later. In an image it may not, and need not. */
const renewal = `setInterval(() => {
  process.getBuiltinModule('fs').utimes(import.meta.dirname, new Date(), new Date(), () => undefined);
}, ${dayMs}).unref();`;

/** Refuses an export that its module lacks, which would be undefined at run time, e.g. a getter of `node:http` that `costlyImports` leaves out. */
function refuseMissing(_, { code, message }) {
  if (code === 'MISSING_EXPORT' || code === 'IMPORT_IS_UNDEFINED') throw new Error(message);
}

/** Modules look up files, packages and workers from where they were, and packages that are not bundled are imported from there. Paths stay relative: the image has others. */
function atHome(dir) {
  const up = `${relative(dir, repository)}/`;
  return {
    name: 'at-home',
    async resolveId(source, importer, options) {
      const instead = /\/@google\/adk\//.test(importer) ? source.replace(/^.*(?=\/google_llm\.js$)/, '.') : '';
      if (Object.hasOwn(unasked, instead)) return `\0${instead}`;
      if (options.kind === 'import-statement' && Object.hasOwn(costlyImports, source)) return `\0${source}`;
      if (!unbundled.test(source)) return undefined;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found === null ? undefined : { id: pathToFileURL(found.id).href, external: true };
    },
    load: (id) => unasked[id.slice(1)] ?? costlyImports[id.slice(1)],
    transform(code, id) {
      if (!code.includes('import.meta.')) return undefined;
      const here = `new URL(${JSON.stringify(up + relative(repository, id))}, import.meta.url)`;
      const resolve = `process.getBuiltinModule('module').createRequire(${here}).resolve`;
      const text = code
        .replaceAll(/\bimport\.meta\.url\b/g, `${here}.href`)
        .replaceAll(
          /\bimport\.meta\.resolve\(([^()]*)\)/g,
          `process.getBuiltinModule('url').pathToFileURL(${resolve}($1)).href`,
        )
        .replaceAll(/\bimport\.meta\.main\b/g, `process.argv[1]?.endsWith('${basename(id, '.ts')}.mjs')`);
      return { code: text, map: null };
    },
    renderChunk(code) {
      return { code: code.replaceAll(pathToFileURL(repository).href, up), map: null };
    },
    generateBundle(_, files) {
      for (const file of Object.values(files)) if (file.type === 'chunk') file.code = inAscii(file.code);
    },
  };
}

/** A module that has the exports of one of Node without reading its getters. */
function gettersUnread(id) {
  const has = Object.entries(Object.getOwnPropertyDescriptors(process.getBuiltinModule(id)));
  const names = has.filter(([name, property]) => 'value' in property && /^\w+$/.test(name) && name !== 'default');
  return `const it = process.getBuiltinModule('${id}');
    export default it;
    export const { ${names.map(([name]) => name).join(', ')} } = it;`;
}

/** Writes other characters as escapes: V8 keeps a text with one of them in twice as many bytes. After a backslash such a character stays. It changes the raw text of a tagged template. */
function inAscii(code) {
  return code.replaceAll(/(\\*)([\u0080-\uffff])/g, (all, slashes, unit) =>
    slashes.length % 2 === 1 ? all : `${slashes}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

if (import.meta.main) {
  const [name] = process.argv.slice(2);
  const folder = await bundle(name === '--if-built' ? { mayBuild: false } : { name });
  if (folder !== undefined) process.stdout.write(folder);
}
