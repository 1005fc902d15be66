import { globSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import { callersOf, meshWord } from '@agentmesh/lib/rpc';
import { expectationsOf } from '@agentmesh/lib/rpc/testing';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { contractMethods } from './contract-methods.ts';
import { root, words } from './deployed-settings.ts';

const methods = await contractMethods();

const nameOf = (method: DescMethod) => `${method.parent.typeName}/${method.name}`;

/** The sources of each service by its name, and of lib, without tests. */
const sources = new Map<string, string>();
for (const file of globSync('{gateway/src,services/*/src,lib/*}/**/*.ts', { cwd: root })) {
  if (/\.test\.ts$|[/\\](testing|dist)[/\\]/.test(file)) continue;
  const [first = '', second = ''] = file.split(sep);
  const room = first === 'services' ? second : first;
  sources.set(room, `${sources.get(room) ?? ''}\n${readFileSync(join(root, file), 'utf8')}`);
}

/** The names under which a package has clients of a service: `auth` in `auth: Client<typeof AuthService>`. */
function clientNames(source: string, service: DescService): string[] {
  // The expressions below read every word of the source.
  if (!source.includes(service.name)) return [];
  const type = `(?:Pick<)?Client<typeof ${service.name}>`;
  const alias = new RegExp(`type (\\w+) = ${type};`).exec(source)?.[1] ?? service.name;
  const held = new RegExp(`#?(\\w+)\\??: (?:readonly )?(?:${type}|${alias}\\b)`, 'g');
  const made = new RegExp(`(\\w+)(?: =|:) \\w*\\.?mesh\\.client\\(${service.name}\\)`, 'g');
  return [held, made].flatMap((form) => Array.from(source.matchAll(form), ([, name = '']) => name));
}

/** The services that have clients of a contract, with the names of these clients, separated by `|`. */
const clientsOf = new Map(
  Array.from(new Set(methods.map(({ parent }) => parent)), (service) => {
    const named = words.map((word) => ({ word, names: clientNames(sources.get(word) ?? '', service).join('|') }));
    return [service, named.filter(({ names }) => names !== '')] as const;
  }),
);

/** Names of the services whose code calls a method. Calls in lib count for every service that uses that part of lib. */
function usersOf(method: DescMethod): string[] {
  const own = (clientsOf.get(method.parent) ?? []).filter(({ word, names }) =>
    new RegExp(`\\b(${names})\\s*\\.\\s*${method.localName}\\b`).test(sources.get(word) ?? ''),
  );
  const answering = words.filter((word) => erasing.has(method.name) && sources.get(word)?.includes('answerDeletions('));
  const recording = method.name === recordingMethod ? serving : [];
  return [...own.map(({ word }) => word), ...answering, ...recording];
}

/** The method by which lib/service records calls of consumers, for each service that they may call. auth, whose method it is, records its own. */
const recordingMethod = 'RecordConsumerCalls';
const serving = words.filter((word) => word !== 'auth' && sources.get(word)?.includes('mesh.serve('));

/** The methods that lib/bus calls for the services which answer account deletions. */
const erasing = new Set(
  Array.from((sources.get('lib') ?? '').matchAll(/\bauth\.(\w+)\(/g), ([, name = '']) => name).map(
    (name) => `${name[0]?.toUpperCase()}${name.slice(1)}`,
  ),
);

describe('who may call a method', () => {
  test('is declared for every method of every service, with names of services', () => {
    expect(methods.length).toBeGreaterThan(100);
    const strange = methods.flatMap((method) =>
      [...callersOf(method)].filter((caller) => !words.includes(caller)).map((caller) => [nameOf(method), caller]),
    );
    expect(strange).toEqual([]);
  });

  test('is exactly who calls it in the code: no declaration is missing, and none is unused', {
    timeout: 120_000,
  }, () => {
    const wrong = methods.flatMap((method) => {
      const [declared, used] = [callersOf(method), new Set(usersOf(method))];
      const unused = [...declared.difference(used)].map((caller) => `${nameOf(method)} is never called by ${caller}`);
      const missing = [...used.difference(declared)].map((caller) => `${caller} calls ${nameOf(method)} undeclared`);
      return [...unused, ...missing];
    });
    expect(wrong).toEqual([]);
  });

  test('is never the service itself', () => {
    const own = methods.filter((method) => callersOf(method).has(meshWord(method.parent)));
    expect(own.map(nameOf)).toEqual([]);
  });
});

describe('what callers expect of a service', () => {
  /** `caller>callee` of each pair that the contracts allow. */
  const byName = (a: string, b: string): number => a.localeCompare(b);
  const pairs = methods.flatMap((method) =>
    Array.from(callersOf(method), (caller) => `${caller}>${meshWord(method.parent)}`),
  );
  const allowed = [...new Set(pairs)].filter((pair) => !pair.startsWith('none>')).toSorted(byName);

  test('is kept by each caller that the contracts name', () => {
    const kept = words.flatMap((callee) =>
      expectationsOf(callee).flatMap(({ caller, calls }) => (calls.length > 0 ? [`${caller}>${callee}`] : [])),
    );
    expect(kept.toSorted(byName)).toEqual(allowed);
  });

  test('is made as the caller itself', () => {
    for (const callee of words) {
      for (const { caller, calls } of expectationsOf(callee))
        expect([caller, calls.some(({ by }) => by === undefined)]).toEqual([caller, true]);
    }
  });
});
