import { hostname } from 'node:os';
import { AgentMesh } from '@agentmesh/client';
import type { Command } from 'commander';
import { createOutput } from '../terminal/output.ts';
import { ask, readStdin } from '../terminal/ask.ts';
import { credentialsFile, readCredentials, removeCredentials, storeCredentials } from './credentials.ts';
import { sessionOf } from './session.ts';

const scopes = ['account', 'agents', 'apps', 'artifacts', 'keys', 'memory', 'runs', 'sessions', 'webhooks'] as const;
const isReadOnly = new Set<string>(['account', 'apps']);

/** `agentmesh login`, `logout` and `whoami`. */
export function addLogin(program: Command): void {
  program
    .command('login')
    .description('sign in, and keep a personal token in a file that only you can read')
    .option('--with-token', 'read a token from stdin in place of asking for a password')
    .action(async ({ withToken }: { withToken?: true }, command: Command) => {
      const { url: wanted } = command.optsWithGlobals<{ url?: string }>();
      const { url } = readCredentials(wanted);
      const token = withToken === true ? await readStdin() : await makeToken(url);
      const { email } = await new AgentMesh({ url, token }).account.me();
      storeCredentials({ url, token });
      createOutput(false).note(`Signed in at ${url} as ${email}. The token is in ${credentialsFile()}.`);
    });
  program
    .command('logout')
    .description('forget the token that login has stored')
    .action(() => removeCredentials());
  program
    .command('whoami')
    .description('show the account')
    .action(async (_: object, command: Command) => {
      const { mesh, output, url } = sessionOf(command);
      const { email, role } = await mesh.account.me();
      output.record({ url, email, role });
    });
}

/** A personal token for this machine, for an address and a password that are asked for. */
async function makeToken(url: string): Promise<string> {
  const email = await ask(`E-mail address at ${url}: `);
  const password = await ask('Password: ', true);
  const mesh = new AgentMesh({ url });
  await mesh.account.signIn({ email, password });
  const wanted = scopes.flatMap((area) =>
    isReadOnly.has(area) ? [`${area}:read`] : [`${area}:read`, `${area}:write`],
  );
  const made = await mesh.tokens.create({
    name: `agentmesh on ${hostname()}`.slice(0, 100),
    scopes: wanted as 'runs:read'[],
  });
  await mesh.account.signOut();
  return made.token;
}
