import { hostname } from 'node:os';
import { AgentMesh, AgentMeshError, UnauthenticatedError } from '@agentmesh/client';
import type { Command } from 'commander';
import { ask, readStdin } from '../terminal/ask.ts';
import { UsageError } from '../terminal/exit-code.ts';
import { createOutput } from '../terminal/output.ts';
import { credentialsFile, readCredentials, readStored, removeCredentials, storeCredentials } from './credentials.ts';
import { deviceToken } from './device-login.ts';
import { sessionOf } from './session.ts';

const scopes = ['account', 'agents', 'apps', 'artifacts', 'keys', 'memory', 'runs', 'sessions', 'webhooks'] as const;
const isReadOnly = new Set<string>(['account', 'apps']);
const wanted = scopes.flatMap((area) => (isReadOnly.has(area) ? [`${area}:read`] : [`${area}:read`, `${area}:write`]));
/** A person waits for it, and the token can be revoked elsewhere. */
const longestLogoutMs = 10_000;
const name = `agentmesh on ${hostname()}`.slice(0, 100);

/** `agentmesh login`, `logout` and `whoami`. */
export function addLogin(program: Command): void {
  program
    .command('login')
    .description('sign in, and keep a personal token in a file that only you can read')
    .option('--with-token', 'read a token from stdin in place of asking for one')
    .option('--password', 'ask for an e-mail address and a password here, in place of the console')
    .action(async (options: LoginOptions, command: Command) => {
      const { url: wanted } = command.optsWithGlobals<{ url?: string }>();
      const { url } = readCredentials(wanted);
      const token = await tokenFor(url, options);
      const { email } = await new AgentMesh({ url, token }).account.me();
      await storeCredentials({ url, token });
      createOutput(false).note(`Signed in at ${url} as ${email}. The token is in ${credentialsFile()}.`);
    });
  program
    .command('logout')
    .description('revoke the personal token that login has stored, and forget it')
    .action(async () => createOutput(false).note(await logOut()));
  program
    .command('whoami')
    .description('show the account')
    .action(async (_: object, command: Command) => {
      const { mesh, output, url } = sessionOf(command);
      const { email, role } = await mesh.account.me();
      output.record({ url, email, role });
    });
}

/** Revokes the stored token and removes it. Returns a line about it. */
async function logOut(): Promise<string> {
  const { url, token } = readStored() ?? {};
  if (url === undefined || token === undefined) {
    removeCredentials();
    return 'No token was stored.';
  }
  const failure = await revoke(url, token);
  removeCredentials();
  if (failure === undefined) return `Revoked the token for ${url}.`;
  if (failure instanceof UnauthenticatedError) return `Forgot the token for ${url}, which was not valid any more.`;
  return `Forgot the token for ${url}, which stays valid: revoke it at ${url}/console/account?tab=tokens (${failure.message})`;
}

/** Why a personal token could not be revoked; undefined when it was. */
async function revoke(url: string, token: string): Promise<AgentMeshError | undefined> {
  const mesh = new AgentMesh({ url, token, tries: 1, timeoutMs: longestLogoutMs });
  try {
    await mesh.tokens.revokeCurrent();
    return undefined;
  } catch (error) {
    if (error instanceof AgentMeshError) return error;
    throw error;
  }
}

interface LoginOptions {
  readonly withToken?: true;
  readonly password?: true;
}

async function tokenFor(url: string, { withToken, password }: LoginOptions): Promise<string> {
  if (withToken === true) {
    const token = await readStdin();
    if (token === '') throw new UsageError('No token came on stdin: pipe one into the command.');
    return token;
  }
  if (password === true) return makeToken(url);
  const output = createOutput(false);
  return deviceToken({
    url,
    client: name,
    scopes: wanted,
    onCode: (code) => {
      output.note(`Open ${code.verification_uri_complete}`);
      output.note(`and approve the code ${code.user_code}. Without a browser, type: agentmesh login --password`);
    },
  });
}

/** A personal token for this machine, for an address and a password that are asked for. */
async function makeToken(url: string): Promise<string> {
  const email = await ask(`E-mail address at ${url}: `);
  const password = await ask('Password: ', true);
  const mesh = new AgentMesh({ url });
  await mesh.account.signIn({ email, password });
  const made = await mesh.tokens.create({ name, scopes: wanted as 'runs:read'[] });
  await mesh.account.signOut();
  return made.token;
}
