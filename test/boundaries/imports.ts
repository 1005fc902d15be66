import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const unwalked = new Set(['node_modules', 'dist', 'gen', '.git', '.data', '.artifacts', 'docs', 'deploy']);

/** Paths of the files below a folder of the repository, relative to its root. Generated files and documentation are left out. */
export function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return unwalked.has(entry.name) ? [] : filesUnder(path);
    return [path];
  });
}

export function read(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Path that a relative specifier in `file` names, relative to the root of the repository. */
export function targetOf(file: string, specifier: string): string {
  return relative(root, resolve(root, dirname(file), specifier));
}

/** Specifiers of static imports, re-exports, dynamic imports and code in `new URL(…, import.meta.url)`. Data files are not imports. */
export function importsOf(text: string): string[] {
  const forms = [
    /^\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
    /\bnew URL\(\s*['"](\.[^'"]+\.(?:[cm]?[jt]s))['"],\s*import\.meta\.url/g,
  ];
  return forms.flatMap((form) => Array.from(text.matchAll(form), (match) => match[1] ?? ''));
}

/** Every relative import of the given sources: the importing file and the imported one. */
export function relativeImportsOf(sources: readonly string[]): (readonly [file: string, target: string])[] {
  return sources.flatMap((file) =>
    importsOf(read(file))
      .filter((specifier) => specifier.startsWith('.'))
      .map((specifier) => [file, targetOf(file, specifier)] as const),
  );
}
