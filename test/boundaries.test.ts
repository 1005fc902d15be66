import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, matchesGlob, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const unwalked = new Set(['node_modules', 'dist', 'gen', '.git', '.data', '.artifacts', 'docs', 'deploy']);
const vagueNames = /^(common|util|utils|helper|helpers|shared|misc|manager)(\.|$)/;
const longest = 300;

/** What each room may import besides itself. The tree is read downward: main -> gateway, services -> lib -> proto. */
function mayImport(room: string): (other: string) => boolean {
  if (room === 'test' || room === 'main') return () => true;
  if (room === 'proto') return () => false;
  if (room === 'lib') return (other) => other === 'proto';
  return (other) => other === 'lib' || other === 'proto';
}

/** `lib`, `gateway`, `services/keys`, …; files at the root and its scripts are `main`. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split(sep);
  if (first === 'services') return `services/${second}`;
  return ['lib', 'gateway', 'proto', 'test'].includes(first) ? first : 'main';
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return unwalked.has(entry.name) ? [] : filesUnder(path);
    return [path];
  });
}

const files = filesUnder('.');
const sources = files.filter((file) => file.endsWith('.ts') || file.endsWith('.mjs'));
const manifests = files.filter((file) => basename(file) === 'package.json');
const read = (file: string) => readFileSync(join(root, file), 'utf8');

interface Manifest {
  readonly name: string;
  readonly exports?: Record<string, unknown>;
  readonly dependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

const packages = new Map(
  manifests.map((file) => {
    const manifest = JSON.parse(read(file)) as Manifest;
    return [manifest.name, { room: roomOf(file), manifest }] as const;
  }),
);

/** Specifiers of static imports, re-exports, dynamic imports and code named by `new URL(…, import.meta.url)`; data is no import. */
function importsOf(text: string): string[] {
  const forms = [
    /^\s*(?:import|export)\s[^'"`;]*?from\s*['"]([^'"]+)['"]/gm,
    /^\s*import\s*['"]([^'"]+)['"]/gm,
    /\bimport\(\s*['"]([^'"]+)['"]/g,
    /\bnew URL\(\s*['"](\.[^'"]+\.(?:[cm]?[jt]s))['"],\s*import\.meta\.url/g,
  ];
  return forms.flatMap((form) => Array.from(text.matchAll(form), (match) => match[1] ?? ''));
}

/** Why this file may not import this, or undefined. */
function breach(file: string, specifier: string): string | undefined {
  const room = roomOf(file);
  if (specifier.startsWith('.')) {
    const target = relative(root, resolve(root, dirname(file), specifier));
    const other = roomOf(target);
    if (other === room || room === 'test') return undefined;
    const ofTests = file.endsWith('.test.ts') || file.split(sep).includes('test');
    return ofTests && target.startsWith(join('test', 'fakes'))
      ? undefined
      : `${file} reaches into ${other} by path: ${specifier}`;
  }
  const [scope, word, ...rest] = specifier.split('/');
  const found = packages.get(`${scope}/${word}`);
  if (!found || found.room === room) return undefined;
  if (!mayImport(room)(found.room)) return `${file} imports ${specifier}`;
  const path = ['.', ...rest].join('/');
  const isExported = Object.keys(found.manifest.exports ?? {}).some((door) => matchesGlob(path, door));
  return isExported ? undefined : `${file}: ${specifier} is not exported`;
}

describe('the dependency rule is the tree read downward', () => {
  test('every import goes down the tree, through package exports', () => {
    const breaches = sources.flatMap((file) => importsOf(read(file)).map((specifier) => breach(file, specifier)));
    expect(breaches.filter((it) => it !== undefined)).toEqual([]);
  });

  test('every package.json depends only on what is below it', () => {
    const breaches = Array.from(packages.values()).flatMap(({ room, manifest }) =>
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter((name) => packages.has(name) && !mayImport(room)(packages.get(name)?.room ?? ''))
        .map((name) => `${manifest.name} depends on ${name}`),
    );
    expect(breaches).toEqual([]);
  });

  test('a breach is seen', () => {
    expect(importsOf("import type { A } from '../a.ts';\nexport * from './b.ts';\nawait import('c');")).toEqual([
      '../a.ts',
      './b.ts',
      'c',
    ]);
    expect(breach('lib/rpc/mesh.ts', '@agentmesh/auth')).toBe('lib/rpc/mesh.ts imports @agentmesh/auth');
    expect(breach('services/runs/src/a.ts', '@agentmesh/sessions')).toContain('imports');
    expect(breach('services/runs/src/a.ts', '../../sessions/src/index.ts')).toContain('by path');
    expect(breach('services/runs/src/a.ts', '@agentmesh/lib/rpc/grpc.ts')).toContain('not exported');
    expect(breach('services/runs/src/a.test.ts', '../../../test/fakes/openai.ts')).toBeUndefined();
  });
});

describe('a name and a length that can be read', () => {
  test('no file or folder is called after a drawer', () => {
    expect(sources.filter((file) => file.split(sep).some((part) => vagueNames.test(part)))).toEqual([]);
  });

  test(`no file is longer than ${longest} lines`, () => {
    const lengths = sources.map((file) => ({ file, lines: read(file).split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > longest)).toEqual([]);
  });
});
