import { deriveIdentities, type MeshIdentities } from '../index.ts';

const services = ['gateway', 'auth', 'sessions', 'runs', 'artifacts', 'memory', 'keys', 'transcription', 'webhooks'];

/** Key pairs of all services. The first of `secrets` makes the private keys, all of them the public ones. */
export function testIdentities(...secrets: readonly string[]): MeshIdentities {
  return deriveIdentities(secrets.length > 0 ? secrets : ['a secret of tests'], services);
}
