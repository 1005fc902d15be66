import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { describeRoutes } from '@agentmesh/gateway';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { Caller, newAccount } from '../../caller.ts';
import { hasPython, installPython, installPythonClient, runUv } from '../../python-client.ts';
import { startCaseControl } from '../../sdk/case-control.ts';

const url = inject('meshUrl');
const client = fileURLToPath(new URL('../../../sdk/python', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'agentmesh-python-'));
let python: string;

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

async function run(program: string, ...args: string[]): Promise<Ended> {
  // Python keeps compiled files there, and not beside the sources of this repository.
  const env = { ...process.env, PYTHONPYCACHEPREFIX: join(folder, 'compiled') };
  const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const written = Promise.all([text(child.stdout), text(child.stderr)]);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output: (await written).join('') };
}

const script = (name: string, ...args: string[]): Promise<Ended> => run(python, join(client, 'tests', name), ...args);

// Into an empty environment.
beforeAll(async () => {
  if (!hasPython) return;
  python = await installPythonClient(folder, `${client}[genai,generate]`, 'mypy', 'pdoc');
}, 300_000);
afterAll(() => rmSync(folder, { recursive: true }));

describe.skipIf(!hasPython)('the client for Python', () => {
  test.each(['sync', 'async'])(
    'sees what the conformance cases say: %s',
    async (mode) => {
      await using control = await startCaseControl();
      const { code, output } = await script('run_cases.py', control.url, mode);
      expect([code, output]).toEqual([0, expect.stringMatching(/^\d{3,} played, 0 wrong\n$/)]);
    },
    600_000,
  );

  test('sends nothing where the value of a path is missing, empty or dots, and takes no redirect for a success', async () => {
    const refused = await script('refuse_values.py');
    expect(refused).toEqual({ code: 0, output: expect.stringMatching(/^\d{2,} values of paths, 0 wrong\n$/) });
  });

  test('has one source for both ways of waiting', async () => {
    expect(await run(python, join(client, 'make_sync.py'), '--check')).toEqual({ code: 0, output: '' });
  });

  test('goes on with a stream that breaks after a long quiet, and gives up one that stays away or is empty for five minutes', async () => {
    expect(await script('quiet_streams.py')).toEqual({ code: 0, output: '' });
  });

  test('sends one Idempotency-Key with all tries of a request, uploads too, and a given one in its place', async () => {
    expect(await script('keyed_requests.py')).toEqual({ code: 0, output: '' });
  });

  test('closes the connection of a run when its last reader leaves', async () => {
    expect(await script('left_runs.py')).toEqual({ code: 0, output: '' });
  });

  test('reads a long line of an export in a time that grows with its length alone', async () => {
    expect(await script('long_lines.py')).toEqual({ code: 0, output: '' });
  });

  test('keeps a sign-in when a renewal of the former one ends behind it', async () => {
    expect(await script('late_renewal.py')).toEqual({ code: 0, output: '' });
  });

  test('gets one new token for all tasks and threads whose token is refused', async () => {
    expect(await script('one_renewal.py')).toEqual({ code: 0, output: '' });
  });

  test('is one run for all tasks and threads that share it, also when its start was cancelled', async () => {
    const { token = '' } = await newAccount(url);
    expect(await script('share_run.py', url, token)).toEqual({ code: 0, output: '' });
  });

  test('has whole types, for the oldest and the newest Python', async () => {
    const config = join(client, 'pyproject.toml');
    // Each takes ten seconds. The oldest one knows least, so it refuses most.
    for (const version of process.env.VERIFY === 'full' ? ['3.10', '3.14'] : ['3.10']) {
      const typed = [join(client, 'src', 'agentmesh'), join(client, 'tests', 'use_verbs.py')];
      const checked = await run(python, '-m', 'mypy', '--config-file', config, '--python-version', version, ...typed);
      expect(checked).toMatchObject({ code: 0 });
    }
  });

  test('has the models of the description, made by npm run generate', async () => {
    const document = join(folder, 'openapi.json');
    writeFileSync(document, JSON.stringify(await describeRoutes()));
    const made = await run('sh', '-c', `"${python}" "${join(client, 'make_models.py')}" < "${document}"`);
    const file = join(client, 'src', 'agentmesh', 'models.py');
    expect(made).toEqual({ code: 0, output: readFileSync(file, 'utf8') });
  });

  test('takes the filters of the description for its lists, and refuses others, which the server ignores', async () => {
    const document = join(folder, 'routes.json');
    writeFileSync(document, JSON.stringify(await describeRoutes()));
    const checked = await script('known_filters.py', document);
    expect(checked).toEqual({ code: 0, output: expect.stringMatching(/^\d{2,} lists, 0 wrong\n$/) });
  });

  test('does on a mesh what each of its verbs says', async () => {
    const [email, password] = [`${randomUUID()}@example.com`, 'correct horse battery'];
    await new Caller(url).request('POST', '/api/users/', { email, password, first_name: 'Ada', last_name: 'L' });
    const used = await script('use_verbs.py', url, email, password);
    expect(used).toEqual({ code: 0, output: expect.stringContaining('all verbs did what they say') });
  });

  test('has examples in its doc comments that do what they say', async () => {
    const { token = '' } = await newAccount(url);
    const ran = await script('run_examples.py', url, token);
    expect(ran).toEqual({ code: 0, output: expect.stringMatching(/^\d{2,} examples ran, 0 wrong\n$/) });
  });

  test('has a reference that is made from its doc comments, with every verb', async () => {
    // The index for searching and the coloured sources are no part of what is looked at, and take most of the time.
    const options = ['--no-search', '--no-show-source', '--output-directory', join(folder, 'reference')];
    const made = await run(python, '-m', 'pdoc', 'agentmesh', ...options);
    expect(made).toMatchObject({ code: 0 });
    const page = readFileSync(join(folder, 'reference', 'agentmesh.html'), 'utf8');
    for (const verb of ['AgentMesh.runs', 'RunStream.steer', 'Download.read', 'verify_webhook'])
      expect(page).toContain(`id="${verb}"`);
    expect(await script('documented.py')).toEqual({ code: 0, output: '' });
  });

  test('is built as packages that are installed into an empty project, also with the oldest ones that it takes', async () => {
    const dist = join(folder, 'dist');
    await runUv('build', '--quiet', '--out-dir', dist, client);
    const packages = readdirSync(dist).filter((it) => it.startsWith('agentmesh'));
    expect(packages.map((it) => it.slice(it.indexOf('0.1.0')))).toEqual(['0.1.0-py3-none-any.whl', '0.1.0.tar.gz']);
    const [wheel = ''] = packages.filter((it) => it.endsWith('.whl'));
    const [, needed = ''] = /^dependencies = (.*)$/m.exec(readFileSync(join(client, 'pyproject.toml'), 'utf8')) ?? [];
    const oldest = (JSON.parse(needed) as string[]).map((it) => it.replace(/>=([^,]+).*/, '==$1'));
    const own = await installPython(join(folder, 'empty'), join(dist, wheel), ...oldest);
    const { token = '' } = await newAccount(url);
    const program = `from agentmesh import AgentMesh\nwith AgentMesh(${JSON.stringify(url)}, ${JSON.stringify(token)}) as mesh: print(ascii(mesh.runs.stream(app="echo", user="u1", text="Hello\\u2028 \\u0085").final().text))`;
    // A parser of lines may take these signs, which are no ends of lines here, for some.
    expect(await run(own, '-c', program)).toEqual({ code: 0, output: "'Hello\\u2028 \\x85'\n" });
  }, 300_000);
});
