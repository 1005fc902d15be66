import { basename, dirname, join, matchesGlob, sep } from 'node:path';
import { describe, expect, test } from 'vitest';
import { filesUnder, importsOf, read, relativeImportsOf, targetOf } from './boundaries/imports.ts';

const vagueNames = /^(common|util|utils|helper|helpers|shared|misc|manager)(\.|$)/;
const longest = 300;
/** Most sources of a folder besides tests; a folder with more is two rooms. */
const mostInFolder = 16;
/** Most files and packages that a source imports; one with more becomes an assembly of rooms. */
const mostImports = 20;
const handedOn = /^export\s[^'"`;]*?from\s*['"][^'"]+['"];?/gm;
/** Folders that every service has by its layout, and the doors of lib for tests: one file is enough there. */
const layout = new Set(['rpc', 'consumers', 'jobs', 'store', 'testing']);

/** Packages that each package may import besides itself. Imports point down the tree: main -> gateway, services -> lib -> proto; clients are apart. */
function mayImport(room: string): (other: string) => boolean {
  if (room === 'test' || room === 'main') return () => true;
  if (room === 'proto' || room.startsWith('sdk')) return () => false;
  if (room === 'cli' || room === 'console') return (other) => other === 'sdk/typescript';
  if (room === 'lib') return (other) => other === 'proto';
  return (other) => other === 'lib' || other === 'proto';
}

/** `lib`, `gateway`, `services/keys`, …; files at the root and its scripts are `main`. */
function roomOf(file: string): string {
  const [first = '', second = ''] = file.split(sep);
  if (first === 'services' || first === 'sdk') return `${first}/${second}`;
  return ['lib', 'gateway', 'proto', 'test', 'cli', 'console'].includes(first) ? first : 'main';
}

const files = filesUnder('.');
const sources = files.filter((file) => /\.(tsx?|mjs)$/.test(file));
const manifests = files.filter((file) => basename(file) === 'package.json');

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

/** The reason why `file` may not import `specifier`; undefined when it may. */
function breach(file: string, specifier: string): string | undefined {
  const room = roomOf(file);
  if (specifier.startsWith('.')) {
    const target = targetOf(file, specifier);
    const other = roomOf(target);
    if (other === room || room === 'test') return undefined;
    return isOfTests(file) && target.startsWith(join('test', 'fakes'))
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

/** Every relative import of the repository: the importing file and the imported one. */
const relativeImports = relativeImportsOf(sources);

/** Imports within lib without those of tests and test fixtures. */
const libImports = relativeImports.filter(
  ([file]) => roomOf(file) === 'lib' && !/\.test\.ts$|testing|driver-conformance/.test(file),
);

/** Path of a gateway source inside `src`, as folders and file name; undefined for other files. */
function insideGateway(file: string): readonly string[] | undefined {
  const [first, second, ...path] = file.split(sep);
  return first === 'gateway' && second === 'src' ? path : undefined;
}

/** The reason why a gateway source may not import another one; undefined when it may. Folders of `src` are slices, except `edge`. */
function sliceBreach(file: string, target: string): string | undefined {
  const [from, to] = [insideGateway(file), insideGateway(target)];
  if (from === undefined || to === undefined || from[0] === to[0]) return undefined;
  if (from[0] === 'edge') return `${file} is of the edge and imports ${target}`;
  if (to.length === 1 || to[0] === 'edge') return undefined;
  if (from.length > 1) return `${file} imports another slice: ${target}`;
  return to.length === 2 && to[1] === 'index.ts' ? undefined : `${file} imports ${target} instead of ${to[0]}/index.ts`;
}

function isOfTests(file: string): boolean {
  return file.endsWith('.test.ts') || file.split(sep).includes('test');
}

function onlyHandsOn(text: string): boolean {
  return text.replaceAll(handedOn, '').trim() === '';
}

/** How many files and packages a source imports. Doors hand on what they re-export, so that does not count. */
function importsIn(text: string): number {
  return new Set(importsOf(text.replaceAll(handedOn, ''))).size;
}

/** Folders that hold one of the files and no folder. */
function oneFileFolders(paths: readonly string[]): string[] {
  const held = Map.groupBy(paths, dirname);
  return Array.from(held)
    .filter(([folder, { length }]) => length === 1 && !paths.some((path) => dirname(dirname(path)) === folder))
    .map(([folder]) => folder);
}

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

function importGraph(imports: readonly (readonly [file: string, target: string])[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const [file, target] of imports) graph.set(file, (graph.get(file) ?? new Set()).add(target));
  return graph;
}

/** Groups of files that import each other in a circle, each group sorted. */
function circlesOf(graph: Graph): string[][] {
  const reached = new Map(Array.from(graph.keys(), (file) => [file, reachableFrom(graph, file)]));
  const groups = Array.from(reached, ([file, targets]) =>
    Array.from(targets)
      .filter((target) => reached.get(target)?.has(file) === true)
      .toSorted(),
  );
  return Array.from(new Map(groups.filter((group) => group.length > 0).map((group) => [group[0], group])).values());
}

/** All files that a file imports, directly or through others. */
function reachableFrom(graph: Graph, file: string): ReadonlySet<string> {
  const found = new Set<string>();
  const waiting = [file];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const target of graph.get(next) ?? []) {
      if (found.has(target)) continue;
      found.add(target);
      waiting.push(target);
    }
  }
  return found;
}

describe('dependencies between packages', () => {
  test('every import points to a lower package, through its package exports', () => {
    const breaches = sources.flatMap((file) => importsOf(read(file)).map((specifier) => breach(file, specifier)));
    expect(breaches.filter((it) => it !== undefined)).toEqual([]);
  });

  test('every package.json depends only on lower packages', () => {
    const breaches = Array.from(packages.values()).flatMap(({ room, manifest }) =>
      Object.keys({ ...manifest.dependencies, ...manifest.devDependencies })
        .filter((name) => packages.has(name) && !mayImport(room)(packages.get(name)?.room ?? ''))
        .map((name) => `${manifest.name} depends on ${name}`),
    );
    expect(breaches).toEqual([]);
  });

  test('the check finds a forbidden import', () => {
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

describe('slices of the gateway', () => {
  test('no slice imports another, the edge imports only itself, and the root imports only index.ts of slices', () => {
    const breaches = relativeImports.map(([file, target]) => sliceBreach(file, target));
    expect(breaches.filter((it) => it !== undefined)).toEqual([]);
  });

  test('the check finds a forbidden import', () => {
    const src = (path: string) => join('gateway', 'src', path);
    expect(sliceBreach(src('runs/runs.ts'), src('sessions/sessions.ts'))).toContain('imports another slice');
    expect(sliceBreach(src('edge/json/a.ts'), src('runs/open-run.ts'))).toContain('is of the edge');
    expect(sliceBreach(src('edge/json/a.ts'), src('config.ts'))).toContain('is of the edge');
    expect(sliceBreach(src('server.ts'), src('runs/runs.ts'))).toContain('index.ts');
    expect(sliceBreach(src('server.ts'), src('runs/index.ts'))).toBeUndefined();
    expect(sliceBreach(src('runs/live/a.ts'), src('runs/open-run.ts'))).toBeUndefined();
  });
});

describe('files that only hand on', () => {
  test('stand at the door of a slice of the gateway, and not inside', () => {
    const inside = sources.filter((file) => basename(file) === 'index.ts' && (insideGateway(file)?.length ?? 0) > 2);
    expect(inside.filter((file) => insideGateway(file)?.[0] !== 'edge' && onlyHandsOn(read(file)))).toEqual([]);
  });

  test('are told from others', () => {
    expect(onlyHandsOn("export { a } from './a.ts';\nexport * from './b.ts';\n")).toBe(true);
    expect(onlyHandsOn("export { a } from './a.ts';\nexport const b = 1;\n")).toBe(false);
  });
});

describe('the folders of lib', () => {
  test('are imported only through their index.ts', () => {
    const breaches = libImports.filter(
      ([file, target]) => dirname(file) !== dirname(target) && basename(target) !== 'index.ts',
    );
    expect(breaches).toEqual([]);
  });

  test('do not import each other in a circle', () => {
    const rooms = libImports.map(([file, target]) => [dirname(file), dirname(target)] as const);
    expect(circlesOf(importGraph(rooms.filter(([from, to]) => from !== to)))).toEqual([]);
  });
});

describe('circular imports', () => {
  test('there are none, type-only imports included', () => {
    expect(circlesOf(importGraph(relativeImports))).toEqual([]);
  });

  test('the check finds a circle', () => {
    const graph = importGraph([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
      ['c', 'd'],
    ]);
    expect(circlesOf(graph)).toEqual([['b', 'c']]);
  });
});

describe('files and folders', () => {
  test('no file or folder has a vague name such as utils', () => {
    expect(sources.filter((file) => file.split(sep).some((part) => vagueNames.test(part)))).toEqual([]);
  });

  test(`no file is longer than ${longest} lines`, () => {
    const lengths = sources.map((file) => ({ file, lines: read(file).split('\n').length - 1 }));
    expect(lengths.filter(({ lines }) => lines > longest)).toEqual([]);
  });

  test(`no source imports more than ${mostImports} others`, () => {
    const counts = sources.filter((file) => !isOfTests(file)).map((file) => ({ file, count: importsIn(read(file)) }));
    expect(counts.filter(({ count }) => count > mostImports)).toEqual([]);
  });

  test('the check counts imports of values and types, static and dynamic, and no re-exports', () => {
    expect(importsIn("import type { A } from '../a.ts';\nexport * from './b.ts';\nawait import('c');")).toBe(2);
  });

  test(`no folder has more than ${mostInFolder} sources besides tests`, () => {
    const folders = Map.groupBy(
      sources.filter((file) => !file.endsWith('.test.ts')),
      dirname,
    );
    const crowded = Array.from(folders, ([folder, { length }]) => ({ folder, length }));
    expect(crowded.filter(({ length }) => length > mostInFolder)).toEqual([]);
  });

  test('a folder with one file is a file, but for those of the layout', () => {
    const isProduct = (file: string) => /^(gateway|services|lib|cli|sdk.typescript)\b/.test(file) && !isOfTests(file);
    const rooms = sources.filter((file) => isProduct(file) && !layout.has(basename(dirname(file))));
    expect(oneFileFolders(rooms)).toEqual([]);
  });

  test('the check finds a folder with one file, and none with a file and a folder', () => {
    expect(oneFileFolders(['a/b/c.ts', 'a/d.ts', 'a/e/f.ts', 'a/e/g.ts'])).toEqual(['a/b']);
  });
});
