import { randomBytes } from 'node:crypto';
import { natsUsers } from '../bus/index.ts';
import { makeIdentity } from '../rpc/index.ts';

/** The login of a service at PostgreSQL. */
function loginOf(service: string): string {
  return `agentmesh_${service}_login`;
}

/**
 * New secrets of services that run as separate processes, by the names of variables: a key pair for each service, its own database
 * login when `databaseUrl` is given, and the passwords of the users of NATS. The names begin with the service that a secret belongs to, except MESH_IDENTITIES, which is public.
 */
export function makeSecrets(services: readonly string[], databaseUrl?: string): Record<string, string> {
  const pairs = services.map((service) => ({ prefix: service.toUpperCase(), ...makeIdentity(service) }));
  const logins = databaseUrl === undefined ? [] : services.map((service) => databaseLogin(service, databaseUrl));
  return {
    MESH_IDENTITIES: pairs.map(({ shown }) => shown).join(','),
    ...Object.fromEntries(pairs.map(({ prefix, secret }) => [`${prefix}_MESH_IDENTITY`, secret])),
    ...Object.fromEntries(logins),
    ...Object.fromEntries(natsUsers(services).map(({ variable }) => [variable, natsPassword()])),
  };
}

/** It begins with a letter, because NATS's configuration takes a text that begins with a digit for a number. */
function natsPassword(): string {
  return `n${randomBytes(24).toString('hex')}`;
}

function databaseLogin(service: string, databaseUrl: string): [string, string] {
  const url = new URL(databaseUrl);
  url.username = loginOf(service);
  url.password = randomBytes(24).toString('base64url');
  return [`${service.toUpperCase()}_DATABASE_URL`, url.href];
}
