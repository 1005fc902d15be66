import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export type Texts = Readonly<Record<string, string>>;

export const root = fileURLToPath(new URL('..', import.meta.url));

/** Runs a program in the root of the repository. */
export function run(file: string, args: readonly string[], options: { env?: NodeJS.ProcessEnv; input?: string } = {}) {
  const limited = { cwd: root, encoding: 'utf8', timeout: 20_000, ...options } as const;
  const { status, stdout, stderr } = spawnSync(file, args, limited);
  return { ok: status === 0, stdout, stderr };
}

/** The services that main.ts knows, as its usage names them. */
export const words =
  /^services: (.+)$/m
    .exec(run(process.execPath, ['main.ts']).stderr)?.[1]
    ?.split(', ')
    .toSorted() ?? [];

/** Every setting in the tables of docs/settings.md, `<SERVICE>` written out. */
const documented = new Set(
  Array.from(readFileSync(join(root, 'docs', 'settings.md'), 'utf8').matchAll(/^\| ([^|]+) \|/gm))
    .flatMap(([, cell = '']) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name))
    .flatMap((name) => words.map((word) => name.replace('<SERVICE>', word.toUpperCase()))),
);
/** Those of `names` that are in no table of docs/settings.md. */
export const undocumented = (names: readonly string[]) => names.filter((name) => !documented.has(name));

/** What `main.ts --check` says against an environment; empty when a process would start with it. */
export function complaint(service: readonly string[], env: Texts): string {
  const { ok, stderr } = run(process.execPath, ['main.ts', ...service, '--check'], { env: { ...env } });
  return ok ? '' : stderr || 'failed';
}
