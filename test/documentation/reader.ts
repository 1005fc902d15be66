import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { root } from '../deployed-settings.ts';
import { hasPython, installPythonClient } from '../python-client.ts';
import type { Block } from './blocks.ts';

/** Addresses of the mesh in the documentation, and in this test. */
export type Addresses = ReadonlyMap<string, string>;

const blockTimeoutMs = 60_000;
/** Modules of clients, which are installed for the tests and not beside the blocks. The main file of ADK's needs the packages of ADK's own server. */
const clients: Readonly<Record<string, string>> = {
  '@google/adk-devtools': new URL('server/adk_api_client.js', import.meta.resolve('@google/adk-devtools')).href,
  '@ag-ui/client': import.meta.resolve('@ag-ui/client'),
  openai: import.meta.resolve('openai'),
};

const programs: Readonly<Record<string, string>> = { sh: 'bash', js: process.execPath, python: 'python3' };

/** Languages whose blocks are run unless they are marked. */
export const runLanguages = Object.keys(programs);

/** Creates a folder that looks like a clone of the repository: `agents` is a copy, everything else a link. */
export async function makeClone(): Promise<AsyncDisposable & { folder: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'documentation-'));
  const names = (await readdir(root)).filter((name) => !['agents', '.env', '.data', '.git'].includes(name));
  await Promise.all(names.map((name) => symlink(join(root, name), join(folder, name))));
  await cp(join(root, 'agents'), join(folder, 'agents'), { recursive: true });
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

/** Follows one page of the documentation: runs its blocks in order. A block gets the variables and the folder of earlier blocks. */
export class Reader {
  readonly #clone: string;
  readonly #addresses: Addresses;
  readonly #own: string;

  private constructor(clone: string, own: string, addresses: Addresses) {
    this.#clone = clone;
    this.#own = own;
    this.#addresses = addresses;
  }

  static async create(clone: string, addresses: Addresses, variables: Record<string, string>): Promise<Reader> {
    // The folder is inside the folder of the tests, so that JavaScript samples find their packages.
    const parent = join(root, 'test', '.artifacts');
    await mkdir(parent, { recursive: true });
    const own = await mkdtemp(join(parent, 'documentation-'));
    await mkdir(join(own, 'bin'));
    await writeFile(join(own, 'bin', 'curl'), failingCurl(join(own, 'failures')), { mode: 0o755 });
    await writeFile(join(own, 'failures'), '');
    const exported = Object.entries(variables).map(([name, value]) => `export ${name}='${value}'\n`);
    await writeFile(join(own, 'variables'), exported.join(''));
    return new Reader(clone, own, addresses);
  }

  /**
   * Runs a block, or writes its file. Returns the output; undefined when the block needs Python packages that are not installed.
   * Throws when it fails or when curl is answered 4xx or 5xx.
   */
  async follow(block: Block): Promise<string | undefined> {
    const code = this.#replace(block.code);
    if (block.target !== undefined) {
      const target = join(this.#clone, block.target);
      await mkdir(dirname(target), { recursive: true });
      await writeFile(target, `${code}\n`);
      return '';
    }
    const python = block.language === 'python' ? await pythonFor(block) : undefined;
    if (block.language === 'python' && python === undefined) return undefined;
    const file = join(this.#own, `block-${block.line}.${block.language === 'js' ? 'mjs' : block.language}`);
    await writeFile(file, block.language === 'sh' ? shellScript(code, join(this.#own, 'variables')) : code);
    const variables = block.language === 'sh' ? {} : await this.#variables();
    const { exit, output } = await this.#spawn([python ?? programs[block.language] ?? '', file], variables);
    const failures = await readFile(join(this.#own, 'failures'), 'utf8');
    if (exit !== 0 || failures !== '') {
      throw new Error(`${block.file}:${block.line} ended with ${exit}\n${code}\n${failures}${output}`);
    }
    return this.#restore(output);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.#own, { recursive: true, force: true });
  }

  #replace(code: string): string {
    let text = code;
    for (const [name, file] of Object.entries(clients)) text = text.replaceAll(`from '${name}'`, `from '${file}'`);
    for (const [documented, real] of this.#addresses) text = text.replaceAll(documented, real);
    return text;
  }

  #restore(output: string): string {
    let text = output;
    for (const [documented, real] of this.#addresses) text = text.replaceAll(real, documented);
    return text;
  }

  async #variables(): Promise<Record<string, string>> {
    const script = `. ${join(this.#own, 'variables')}; env -0`;
    const printed = spawnSync('bash', ['-c', script], { env: { PATH: process.env.PATH } }).stdout.toString();
    return Object.fromEntries(
      printed
        .split('\0')
        .map((line) => line.split(/=(.*)/s, 2))
        .filter(([name]) => name !== 'PATH'),
    ) as Record<string, string>;
  }

  async #spawn([program = '', ...args]: readonly string[], variables: Record<string, string>) {
    const PATH = [join(this.#own, 'bin'), process.env.PATH].join(delimiter);
    const env = { HOME: process.env.HOME, ...variables, PATH };
    const signal = AbortSignal.timeout(blockTimeoutMs);
    const child = spawn(program, args, { cwd: this.#clone, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = (): void => void process.kill(-(child.pid ?? 0), 'SIGKILL');
    signal.addEventListener('abort', end);
    const output: Buffer[] = [];
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => output.push(chunk));
    const [exit] = (await once(child, 'close')) as [number | null];
    signal.removeEventListener('abort', end);
    return { exit, output: Buffer.concat(output).toString() };
  }
}

function shellScript(code: string, variables: string): string {
  return `set -e -o pipefail\n. '${variables}'\ncd "$PWD"\n${code}\nexport -p > '${variables}'\n`;
}

/** A curl that fails on HTTP errors. It also records them in a file, because a failure inside `$(…)` does not end a script. */
function failingCurl(failures: string): string {
  const real = spawnSync('bash', ['-c', 'command -v curl']).stdout.toString().trim();
  return `#!/bin/sh
'${real}' --fail-with-body "$@"
code=$?
[ $code = 0 ] || echo "curl ended with $code: $*" >> '${failures}'
exit $code
`;
}

/** The Python that has the packages of a block; undefined when there is none, which is said. Installs the client of this repository when a block uses it. */
async function pythonFor({ file, line, code }: Block): Promise<string | undefined> {
  const modules = Array.from(code.matchAll(/^(?:import|from) ([\w.]+)/gm), ([, name]) => name);
  if (hasPython && modules.includes('agentmesh')) return pythonWithClient();
  const found = spawnSync('python3', ['-c', modules.map((name) => `import ${name}`).join('\n')]);
  if (found.status === 0) return 'python3';
  process.stderr.write(`NOT RUN: ${file}:${line} needs python3 with ${modules.join(', ')}\n`);
  return undefined;
}

let withClient: Promise<string> | undefined;

/** One environment with the client serves all pages. It is left in the folder of the tests' files. */
function pythonWithClient(): Promise<string> {
  withClient ??= installPythonClient(join(root, 'test', '.artifacts', 'python-client'));
  return withClient;
}
