import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../deployed-settings.ts';

const folder = mkdtempSync(join(tmpdir(), 'contracts-'));
const packed = join(folder, 'node_modules', '@agentmesh', 'proto');
const bin = (name: string) => join(root, 'node_modules', '.bin', name);

/** Runs a program in a folder that has the tarball and nothing of this repository. */
function outside(program: string, ...args: string[]): string {
  const env = { ...process.env, PATH: `${join(root, 'node_modules', '.bin')}:${process.env.PATH}` };
  return execFileSync(program, args, { cwd: folder, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}

beforeAll(() => {
  const source = join(folder, 'source');
  execFileSync(process.execPath, [join(root, 'proto', 'pack.mjs'), source]);
  const options = ['pack', '--silent', '--pack-destination', folder];
  const filename = execFileSync('npm', options, { cwd: source, encoding: 'utf8' }).trim();
  mkdirSync(packed, { recursive: true });
  outside('tar', '-xzf', filename, '-C', packed, '--strip-components=1');
  // npm would install it beside the tarball.
  symlinkSync(join(root, 'proto', 'node_modules', '@bufbuild'), join(folder, 'node_modules', '@bufbuild'));
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
}, 60_000);
afterAll(() => rmSync(folder, { recursive: true }));

const program = (from: string) => `import { SessionsService, type ListSessionsRequest } from '${from}';
export const request: Pick<ListSessionsRequest, 'accountId'> = { accountId: 'a1' };
console.log(SessionsService.method.listSessions.name);
`;

function compileAndRun(name: string, from: string): string {
  writeFileSync(join(folder, `${name}.ts`), program(from));
  outside(bin('tsc'), '--module', 'nodenext', '--skipLibCheck', '--types', '', `${name}.ts`);
  return outside(process.execPath, `${name}.js`);
}

test('the tarball of the contracts is a package of its own: code with types, and no sources of the mesh', () => {
  const {
    name,
    exports,
    private: isPrivate,
  } = JSON.parse(readFileSync(join(packed, 'package.json'), 'utf8')) as {
    name: string;
    exports: Record<string, unknown>;
    private?: boolean;
  };
  expect({ name, isPrivate }).toEqual({ name: '@agentmesh/proto', isPrivate: undefined });
  expect(Object.values(exports).filter((it) => typeof it === 'string')).toEqual([]);
  expect(outside('find', packed, '-name', '*.ts', '-not', '-name', '*.d.ts')).toBe('');
  expect(compileAndRun('packed', '@agentmesh/proto/sessions/v1')).toBe('ListSessions\n');
});

test('buf generates a client from the proto files of the tarball alone', () => {
  const plugin = { local: 'protoc-gen-es', out: 'gen', opt: ['target=js+dts', 'import_extension=js'] };
  const template = { version: 'v2', inputs: [{ directory: packed }], plugins: [plugin] };
  outside(bin('buf'), 'generate', '--template', JSON.stringify(template));
  expect(compileAndRun('generated', './gen/agentmesh/sessions/v1/sessions_pb.js')).toBe('ListSessions\n');
});

test('the contracts are a buf module with a name', () => {
  expect(readFileSync(join(root, 'buf.yaml'), 'utf8')).toMatch(/^ +name: buf\.build\/agentmesh\/agentmesh$/m);
  expect(outside(bin('buf'), 'build', root, '-o', '/dev/null')).toBe('');
});
