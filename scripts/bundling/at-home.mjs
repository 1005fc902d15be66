import { basename, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

/** Folder of the sources. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));
/** Packages that read files beside their own, or that replace functions of others when they are loaded. */
const unbundled = /^(@grpc\/|grpc-health-check|@fastify\/swagger-ui|@opentelemetry\/sdk-node|@aws-sdk\/)/;
/** Modules of Node of which an import statement reads every export, also those that load others: `WebSocket` of `http` loads undici, 34 ms and 14 MB. */
const costlyImports = Object.fromEntries(
  ['http', 'node:http', 'process', 'node:process'].map((id) => [id, gettersUnread(id)]),
);
/** The first lines of a file of ADK that requires nothing: 300 files have them all the same. */
const unusedRequire =
  /^import \{createRequire as topLevelCreateRequire\} from 'module';\nconst require = topLevelCreateRequire\(import\.meta\.url\);\n(?![^]*\brequire\b)/;

/**
 * Modules look up files, packages and workers from where they were, and packages that are not bundled are imported from there. Paths stay relative to `dir`, where the
 * bundle is written: the image has others. `standInOf`: the text that replaces a module, by how another one names it.
 */
export function atHome(dir, standInOf) {
  const up = `${relative(dir, repository)}/`;
  const standIns = new Map(Object.entries(costlyImports));
  return {
    name: 'at-home',
    async resolveId(source, importer, options) {
      const text = standInOf(source, importer ?? '');
      if (text !== undefined) standIns.set(source, text);
      if (text !== undefined || (options.kind === 'import-statement' && Object.hasOwn(costlyImports, source)))
        return `\0${source}`;
      if (!unbundled.test(source)) return undefined;
      const found = await this.resolve(source, importer, { ...options, skipSelf: true });
      return found === null ? undefined : { id: pathToFileURL(found.id).href, external: true };
    },
    load: (id) => (id.startsWith('\0') ? standIns.get(id.slice(1)) : undefined),
    transform(code, id) {
      if (id.startsWith('\0') || !code.includes('import.meta.')) return undefined;
      const here = `new URL(${JSON.stringify(up + relative(repository, id))}, import.meta.url)`;
      const resolve = `process.getBuiltinModule('module').createRequire(${here}).resolve`;
      const text = code
        .replace(unusedRequire, '')
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
