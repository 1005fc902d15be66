import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { lostCallers } from './lost-callers.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const buf = join(root, 'node_modules', '.bin', 'buf');
const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

/** The contracts of this repository with a change in those of memory. */
function contractsWith(change: (text: string) => string): string {
  const folder = mkdtempSync(join(tmpdir(), 'callers-'));
  folders.push(folder);
  cpSync(join(root, 'proto', 'agentmesh'), join(folder, 'proto', 'agentmesh'), { recursive: true });
  cpSync(join(root, 'buf.yaml'), join(folder, 'buf.yaml'));
  const file = join(folder, 'proto', 'agentmesh', 'memory', 'v1', 'memory.proto');
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
