import { existsSync, readFileSync } from 'node:fs';
import { registerHooks, type ResolveHookContext } from 'node:module';
import { sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sharedModule } from './shared-module.ts';
import { isCommonJs, stripTypes } from './strip-types.ts';

const own = import.meta.url;
/** Packages that exist once in a worker: an agent of another copy would not be one here. */
const always = /^@google\/adk(\/|$)/;
/** Packages that files of an app take from here, whether or not the app has them. */
const fromHere = /^(zod|@google\/genai)(\/|$)/;
/** Packages that files of an app take from here when the app has none. */
const whenMissing = /^dotenv(\/|$)/;
const others: ReadonlyMap<string, readonly string[]> = new Map([
  ['.js', ['.ts', '.tsx']],
  ['.mjs', ['.mts']],
  ['.cjs', ['.cts']],
]);
const endings = ['.ts', '.js', '.mts', '.mjs', '/index.ts', '/index.js'];
const typed = /\.[mc]?ts$/;

/**
 * Resolves and reads the modules of an app: our copies of ADK and zod, `./x.js` and `./x` for `x.ts`, types stripped. `onFile` is
 * told each file of the folder that is read.
 */
export function hookModules(folder: string, onFile: (path: string) => void): void {
  const inFolder = (url: string | undefined): boolean =>
    url?.startsWith('file:') === true && isOwnFile(folder, fileURLToPath(url));
  registerHooks({
    resolve(specifier, context, next) {
      const { parentURL } = context;
      if (always.test(specifier) || (fromHere.test(specifier) && inFolder(parentURL))) {
        const url = sharedModule(specifier);
        if (url !== undefined) return { url, format: 'module', shortCircuit: true };
        return next(specifier, fromOurs(context));
      }
      if (!inFolder(parentURL)) return next(specifier, context);
      try {
        return next(specifier, context);
      } catch (error) {
        if (whenMissing.test(specifier)) return next(specifier, fromOurs(context));
        const found = specifier.startsWith('.') ? findOther(new URL(specifier, parentURL)) : undefined;
        if (found === undefined) throw error;
        return next(found, context);
      }
    },
    load(url, context, next) {
      if (!inFolder(url)) return next(url, context);
      const path = fileURLToPath(url);
      onFile(path);
      if (!typed.test(path)) return next(url, context);
      const source = stripTypes(readFileSync(path, 'utf8'), url);
      return { format: isCommonJs(path, source) ? 'commonjs' : 'module', source, shortCircuit: true };
    },
  });
}

/** ADK's ES modules also for `require`: its CommonJS files are another copy. */
function fromOurs(context: ResolveHookContext): Partial<ResolveHookContext> {
  return {
    ...context,
    parentURL: own,
    conditions: context.conditions.map((name) => (name === 'require' ? 'import' : name)),
  };
}

function isOwnFile(folder: string, path: string): boolean {
  return path.startsWith(folder + sep) && !path.includes(`${sep}node_modules${sep}`);
}

function findOther(url: URL): string | undefined {
  const path = fileURLToPath(url);
  const [ending = ''] = /\.[mc]?js$/.exec(path) ?? [];
  const stem = path.slice(0, path.length - ending.length);
  const found = (others.get(ending) ?? endings).find((other) => existsSync(stem + other));
  return found === undefined ? undefined : new URL(url.href.slice(0, url.href.length - ending.length) + found).href;
}
