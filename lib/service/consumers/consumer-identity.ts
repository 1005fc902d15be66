import { IdentityToken, makeIdentity, type NamedKey } from '../../rpc/index.ts';
import { parseSettings, processSettings, SettingsError } from '../settings/index.ts';

export interface NewConsumer {
  readonly name: string;
  /** `service.Method`. */
  readonly methods: readonly string[];
  /** UUIDs, or `*` alone. */
  readonly accounts: readonly string[];
}

/** The secret of a new consumer and its grant, by the names of variables. Throws SettingsError for a grant that no process would take. */
export function makeConsumer({ name, methods, accounts }: NewConsumer): Record<string, string> {
  const { secret, shown } = makeIdentity(name);
  const [, key = ''] = shown.split(':');
  const grants = JSON.stringify({ [name]: { keys: [key], methods, accounts } });
  parseSettings({ MESH_CONSUMERS: processSettings.MESH_CONSUMERS }, { MESH_CONSUMERS: grants });
  return { [`${name.toUpperCase()}_MESH_IDENTITY`]: secret, MESH_CONSUMERS: grants };
}

/** A token of the first key of `MESH_IDENTITY` for these services, valid for five minutes. Throws SettingsError without a key. */
export async function signToken(own: readonly NamedKey[], services: readonly string[]): Promise<string> {
  const [first] = own;
  if (first === undefined) throw new SettingsError(new Map([['MESH_IDENTITY', 'is missing or blank']]));
  const token = new IdentityToken({ service: first.service, key: first.key, audience: services });
  await token.renewal();
  return token.text;
}
