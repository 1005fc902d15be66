import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { lostCallers, lostReaders } from './lost-callers.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const buf = join(root, 'node_modules', '.bin', 'buf');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The contracts of this repository with a change in those of a service. */
function contractsWith(change: (text: string) => string, word = 'memory'): string {
  const folder = mkdtempSync(join(tmpdir(), 'callers-'));
  folders.push(folder);
  cpSync(join(root, 'proto', 'agentmesh'), join(folder, 'proto', 'agentmesh'), { recursive: true });
  cpSync(join(root, 'buf.yaml'), join(folder, 'buf.yaml'));
  const file = join(folder, 'proto', 'agentmesh', word, 'v1', `${word}.proto`);
  writeFileSync(file, change(readFileSync(file, 'utf8')));
  return folder;
}

const caller = '    option (agentmesh.mesh.v1.callers) = "runs";\n';
const withoutRuns = (text: string) => text.replace(caller, '');

test('a method that loses a caller without a deprecation is named', () => {
  const [before, after] = [contractsWith((text) => text), contractsWith(withoutRuns)];
  expect(lostCallers(buf, before, before)).toEqual([]);
  expect(lostCallers(buf, before, after)).toEqual([
    expect.stringMatching(
      /^agentmesh\.memory\.v1\.MemoryService\/\w+ lost its caller runs: mark the method as deprecated first/,
    ),
  ]);
  expect(lostCallers(buf, after, before)).toEqual([]);
});

test('a method that was deprecated before may lose its callers', () => {
  const deprecated = (text: string) => text.replace(caller, `    option deprecated = true;\n${caller}`);
  expect(lostCallers(buf, contractsWith(deprecated), contractsWith(withoutRuns))).toEqual([]);
});

const reader = '  option (agentmesh.mesh.v1.readers) = "memory";\n';
const consumer = '  option (agentmesh.mesh.v1.consumers) = "memory";\n';

test('a topic that loses a reader or a consumer is named, unless it says that it had it', () => {
  const plain = contractsWith((text) => text);
  const without = (line: string, tombstone = '') => contractsWith((text) => text.replace(line, tombstone), 'auth');
  const lost = [expect.stringMatching(/^agentmesh\.auth\.v1\.AccountDeleted lost its reader memory: /)];
  expect(lostReaders(buf, plain, plain)).toEqual([]);
  expect(lostReaders(buf, plain, without(reader))).toEqual(lost);
  expect(lostReaders(buf, plain, without(consumer))).toEqual(lost);
  const former = '  option (agentmesh.mesh.v1.former_readers) = "memory";\n';
  expect(lostReaders(buf, plain, without(consumer, former))).toEqual([]);
});
