import { type Environment, parseSettings, type Reseal } from '@agentmesh/lib/service';
import { rootsOf, settings } from './config.ts';
import { createHeaderVault } from './header-vault.ts';
import { createSigningVault } from './signing-vault.ts';

/** Seals what other services store again, with the keys of an environment. Throws SettingsError. */
export function createReseal(env: Environment): Reseal {
  const roots = rootsOf(parseSettings(settings, env));
  const headers = createHeaderVault(roots);
  const signing = createSigningVault(roots);
  return async (envelope, place) => {
    if (place.kind === 'header') return again(headers, envelope, place);
    return again(signing, envelope, place);
  };
}

interface Vault<P> {
  seal(secret: string, place: P): Promise<string>;
  open(envelope: string, place: P): Promise<string | undefined>;
  isCurrent(envelope: string): boolean;
}

async function again<P>(vault: Vault<P>, envelope: string, place: P): Promise<string | undefined> {
  if (vault.isCurrent(envelope)) return envelope;
  const secret = await vault.open(envelope, place);
  return secret === undefined ? undefined : vault.seal(secret, place);
}
