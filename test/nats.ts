import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findNatsServer, startNats, type TestNats } from '@agentmesh/lib/bus/testing';

const deployed = fileURLToPath(new URL('../deploy/nats/server.conf', import.meta.url));
const users = [...readFileSync(deployed, 'utf8').matchAll(/user: (\w+),/g)].map(([, user = '']) => user);

export const passwordOf = (user: string): string => `password-of-${user}`;

/** Starts a NATS server with the users and permissions of deploy/nats, or of another file with the same users. */
export async function startDeployedNats(server: string, config = deployed): Promise<TestNats> {
  const env = Object.fromEntries(users.map((user) => [`${user.toUpperCase()}_NATS_PASSWORD`, passwordOf(user)]));
  return startNats({ server, config, env });
}

/** Starts a NATS server, and returns the settings with which each process reaches it. */
export async function natsEnvironments(resources: AsyncDisposableStack) {
  const server = await findNatsServer();
  if (server === undefined) throw new Error('there is no NATS server');
  return natsEnvironmentsOf(resources.use(await startDeployedNats(server)));
}

/** Returns the settings with which each process reaches a server that `startDeployedNats` has started. */
export function natsEnvironmentsOf({ url }: TestNats) {
  return (word: string) => {
    const user = word === 'all' ? 'mesh' : word;
    return { NATS_URL: url, NATS_USER: user, NATS_PASSWORD: passwordOf(user) };
  };
}
