import { randomBytes } from 'node:crypto';
import { appendFileSync, chmodSync, existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseEnv } from 'node:util';
import { ListenError, type MeshProcess } from '@agentmesh/lib/service';
import { explain, startMesh, untilStopped } from '../main.ts';
import { choosePorts, unsetPorts } from './choose-ports.ts';

const envFile = fileURLToPath(new URL('../.env', import.meta.url));

/**
 * Adds the settings of `.env` to the environment. A variable of the environment wins, even when it is blank. Without an
 * ENCRYPT_KEY in either place, a random one is written to `.env`.
 */
function loadEnv(): void {
  const text = existsSync(envFile) ? readFileSync(envFile, 'utf8') : '';
  const settings = parseEnv(text);
  if (process.env.ENCRYPT_KEY === undefined && settings.ENCRYPT_KEY === undefined) {
    settings.ENCRYPT_KEY = randomBytes(32).toString('base64url');
    writeKey(settings.ENCRYPT_KEY, text);
  }
  for (const [name, value] of Object.entries(settings)) process.env[name] ??= value;
  // An author sees a mistake in the run that meets it.
  process.env.RUNS_REFUSE_MISTAKES ??= 'true';
  process.env.LOG_LEVEL ??= 'access';
  process.env.LOG_FORMAT ??= process.stdout.isTTY ? 'plain' : 'json';
}

function writeKey(key: string, existing: string): void {
  const separator = existing === '' || existing.endsWith('\n') ? '' : '\n';
  appendFileSync(envFile, `${separator}ENCRYPT_KEY=${key}\n`, { mode: 0o600, flush: true });
  chmodSync(envFile, 0o600);
  console.log(
    `Wrote a random ENCRYPT_KEY to ${envFile}. Keep it: data that it encrypts and tokens that it signs are lost without it.\n`,
  );
}

/** Where people begin, unless the console is switched off. */
function consoleLine(address: string): string {
  return process.env.CONSOLE?.trim() === 'false' ? '' : `Open ${address}/console/ in a browser`;
}

const rootFiles = ['root_agent.yaml', 'agent.ts', 'agent.js'];

/** The app of the commands: the first of the own AGENTS_DIR, or the sample `echo`. */
function appToTry(): string {
  const dir = process.env.AGENTS_DIR?.trim() ?? '';
  if (dir === '' || !existsSync(dir)) return 'echo';
  const isApp = (folder: string): boolean => rootFiles.some((file) => existsSync(join(folder, file)));
  if (isApp(dir)) return basename(resolve(dir));
  const apps = readdirSync(dir).filter((app) => isApp(join(dir, app)));
  return apps.toSorted()[0] ?? 'echo';
}

function welcome(address: string): string {
  const app = appToTry();
  const json = `-H 'content-type: application/json'`;
  const bearer = '-H "authorization: Bearer $TOKEN"';
  const account = `"email":"ada@example.com","password":"correct horse battery"`;
  const message = `"newMessage":{"role":"user","parts":[{"text":"Hello, mesh"}]}`;
  return `
${consoleLine(address)}
Agent Mesh is ready at ${address}  (documentation: ${address}/docs, Ctrl-C stops it)

Try, in another terminal:

1. Sign up
   curl -s ${address}/api/users/ ${json} \\
     -d '{${account},"first_name":"Ada","last_name":"Lovelace"}'

2. Sign in
   export TOKEN=$(curl -s ${address}/api/auth/token ${json} \\
     -d '{${account}}' | sed 's/.*"access_token": *"\\([^"]*\\)".*/\\1/')

3. Create a session and talk to the agent ${app}
   curl -s ${address}/apps/${app}/users/user/sessions ${bearer} ${json} -d '{"sessionId":"s1"}' &&
   curl -sN ${address}/run_sse ${bearer} ${json} \\
     -d '{"appName":"${app}","userId":"user","sessionId":"s1",${message},"streaming":true}'
`;
}

/** Starts the mesh. When a port that no setting names is in use, another one is chosen. */
async function start(stopped: Promise<void>): Promise<MeshProcess> {
  const unset = unsetPorts(process.env);
  for (;;) {
    const notes = await choosePorts(process.env, unset);
    for (const note of notes) console.log(note);
    try {
      return await startMesh(['all'], stopped);
    } catch (error) {
      // Another program may take a chosen port while the mesh starts.
      const isLost = error instanceof ListenError && error.isPortInUse && unset.includes(error.portSetting);
      if (!isLost) throw error;
    }
  }
}

async function main(): Promise<void> {
  loadEnv();
  const stopped = untilStopped();
  await using mesh = await start(stopped);
  if (mesh.address !== undefined) console.log(welcome(mesh.address));
  await stopped;
}

await main().then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(explain(error));
    process.exit(1);
  },
);
