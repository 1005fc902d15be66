import { execFile } from 'node:child_process';
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, expect, inject, test } from 'vitest';
import { newAccount } from '../../caller.ts';
import { homelessEnvironment } from '../../plain-environment.ts';

const url = inject('meshUrl');
const client = fileURLToPath(new URL('../../../sdk/typescript', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-reference-'));
const run = promisify(execFile);
afterAll(() => rmSync(folder, { recursive: true }));

interface Example {
  readonly file: string;
  readonly code: string;
}

const examples: readonly Example[] = globSync('src/**/*.ts', { cwd: client }).flatMap((file) => {
  const text = readFileSync(join(client, file), 'utf8');
  return [...text.matchAll(/@example\n\s*\* ```ts\n(.*?)\n\s*\* ```/gs)].map(([, code = '']) => ({
    file,
    code: code.replace(/^ *\* ?/gm, ''),
  }));
});

test('the reference is made from doc comments, and every public class and method has one', async () => {
  const typedoc = join(client, 'node_modules', 'typedoc', 'bin', 'typedoc');
  await run(process.execPath, [typedoc, '--out', folder], { cwd: client });
  const page = readFileSync(join(folder, 'interfaces', 'index.Runs.html'), 'utf8');
  for (const verb of ['stream', 'watch', 'cancel', 'steer', 'answer']) expect(page).toContain(`id="${verb}"`);
}, 120_000);

test.each(examples)('the example prints what its comments say: $file', async ({ code }) => {
  const { token = '' } = await newAccount(url);
  const head = [
    `import { AgentMesh, verifyWebhook } from ${JSON.stringify(join(client, 'src', 'index.ts'))};`,
    // An example that makes a client of its own has this name for it too.
    `globalThis.mesh = new AgentMesh({ url: process.env.URL, token: process.env.TOKEN });`,
  ];
  const file = join(folder, 'example.ts');
  writeFileSync(file, [...head, code.replaceAll('http://127.0.0.1:8000', url)].join('\n'));
  const env = { ...homelessEnvironment, URL: url, TOKEN: token };
  const { stdout } = await run(process.execPath, [file], { env });
  const told = [...code.matchAll(/(?:^|; )\/\/ (.*)$/gm)].map(([, line]) => line);
  expect(stdout.trim().split('\n')).toEqual(told);
});

test('there are examples of runs, sessions, artifacts and agents', () => {
  expect(examples.map(({ file }) => file)).toEqual(
    expect.arrayContaining(
      ['runs/runs', 'resources/sessions', 'resources/artifacts', 'resources/agents'].map((it) => `src/${it}.ts`),
    ),
  );
});
