import { connectorNameInvalid } from '../errors.ts';

/** A resource that end users consent to, and the credential service that it belongs to. */
export interface Connector {
  /** Resource name. Safe in the path of a URL. */
  readonly name: string;
  /** `connectors`: the IAM connector service. `authProviders`: its successor, agent identity. */
  readonly kind: 'connectors' | 'authProviders';
}

const segment = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const pattern = new RegExp(`^projects/${segment}/locations/${segment}/(connectors|authProviders)/${segment}$`);

/**
 * Reads `projects/{p}/locations/{l}/connectors/{c}` or `projects/{p}/locations/{l}/authProviders/{a}`. The name becomes the path of a
 * call that carries our own credential, so everything else throws `connector_name_invalid`.
 */
export function parseConnector(name: string): Connector {
  const kind = pattern.exec(name)?.[1];
  if (kind !== 'connectors' && kind !== 'authProviders') throw connectorNameInvalid();
  return { name, kind };
}
