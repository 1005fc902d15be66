import { X509Certificate } from 'node:crypto';
import { checkCertificates, rereadFiles } from '../certificates/index.ts';
import {
  type ConsumerGrants,
  deriveIdentities,
  keyIdOf,
  knownKeys,
  type MeshIdentities,
  type MeshTls,
  type NamedKey,
} from '../rpc/index.ts';
import type { Logger } from '../telemetry/index.ts';
import { SettingsError } from './settings/index.ts';

export interface IdentityOptions {
  readonly config: IdentityConfig;
  /** Names of the services of this process. */
  readonly here: readonly string[];
  /** Names of all services of the mesh. */
  readonly words: readonly string[];
}

interface IdentityConfig extends CertificateConfig {
  readonly NODE_ENV: string;
  readonly MESH_PORT: number | undefined;
  readonly MESH_IDENTITY: readonly NamedKey[];
  readonly MESH_IDENTITIES: readonly NamedKey[];
  readonly MESH_CONSUMERS: ConsumerGrants;
  readonly MESH_KEY: string | undefined;
  readonly MESH_KEY_PREVIOUS: readonly string[];
}

interface CertificateConfig {
  readonly MESH_TLS_CERT: string | undefined;
  readonly MESH_TLS_KEY: string | undefined;
  readonly MESH_TLS_CA: string | undefined;
}

const howToMake = '`npm start -- identities` makes them';

/**
 * The key pairs of this process; undefined when it needs none: it runs all services and does not listen, or mutual TLS proves who calls.
 * Throws SettingsError that says what is missing.
 */
export function readIdentities(options: IdentityOptions): MeshIdentities | undefined {
  const { config, words } = options;
  const consumers = consumerKeys(config.MESH_CONSUMERS, words);
  const services = readServices(options);
  if (consumers.length === 0 || config.MESH_TLS_CERT !== undefined) return services;
  return { own: services?.own ?? new Map(), known: new Map([...(services?.known ?? []), ...knownKeys(consumers)]) };
}

/** The public keys of consumers. Throws SettingsError for one that has the name of a service, whose rights it would have. */
function consumerKeys(grants: ConsumerGrants, words: readonly string[]): NamedKey[] {
  const taken = [...grants.keys()].filter((name) => words.includes(name));
  if (taken.length > 0) throw fault('MESH_CONSUMERS', `names a consumer as a service: ${taken.join(', ')}`);
  return [...grants].flatMap(([service, { keys }]) => keys.map((key) => ({ service, key })));
}

function readServices({ config, here, words }: IdentityOptions): MeshIdentities | undefined {
  const { MESH_IDENTITY: own, MESH_IDENTITIES: shown, MESH_KEY: key } = config;
  const { MESH_TLS_CERT: cert, MESH_TLS_KEY: tlsKey, MESH_TLS_CA: authority } = config;
  if (cert !== undefined && tlsKey !== undefined && authority !== undefined) return undefined;
  if (own.length > 0 || shown.length > 0) return named(own, shown, here);
  const isAlone = here.length === words.length && config.MESH_PORT === undefined;
  if (isAlone) return undefined;
  if (key === undefined) {
    if (here.length === words.length) return undefined;
    throw fault(
      'MESH_IDENTITY',
      `is missing or blank: separate processes prove who they are; ${howToMake}. For development, the same MESH_KEY for all is enough`,
    );
  }
  if (config.NODE_ENV === 'production') {
    throw fault(
      'MESH_KEY',
      `lets every process act as every service, which NODE_ENV=production refuses: set MESH_IDENTITY and MESH_IDENTITIES; ${howToMake}`,
    );
  }
  return deriveIdentities([key, ...config.MESH_KEY_PREVIOUS], words);
}

function named(own: readonly NamedKey[], shown: readonly NamedKey[], here: readonly string[]): MeshIdentities {
  if (own.length === 0) throw fault('MESH_IDENTITY', `is missing or blank: MESH_IDENTITIES is set; ${howToMake}`);
  if (shown.length === 0) throw fault('MESH_IDENTITIES', `is missing or blank: MESH_IDENTITY is set; ${howToMake}`);
  const known = knownKeys(shown);
  const keys = new Map(own.toReversed().map(({ service, key }) => [service, key]));
  for (const service of here) {
    const key = keys.get(service);
    if (key === undefined) throw fault('MESH_IDENTITY', `has no key of ${service}`);
    if (known.get(keyIdOf(key))?.service !== service)
      throw fault('MESH_IDENTITIES', `lacks the public key of ${service}`);
  }
  return { own: keys, known };
}

/** The files of mutual TLS between services; undefined where it is off. Throws SettingsError when one of them is not set. */
export function certificateFiles({ MESH_TLS_CERT: cert, MESH_TLS_KEY: key, MESH_TLS_CA: ca }: CertificateConfig) {
  if (cert !== undefined && key !== undefined && ca !== undefined) return { cert, key, ca };
  if (cert === undefined && key === undefined && ca === undefined) return undefined;
  const missing = Object.entries({ MESH_TLS_CERT: cert, MESH_TLS_KEY: key, MESH_TLS_CA: ca });
  const problem = 'is missing: mutual TLS takes all three of MESH_TLS_*';
  throw new SettingsError(new Map(missing.flatMap(([name, file]) => (file === undefined ? [[name, problem]] : []))));
}

/** Certificates that are read again when their files change. */
export type MeshCertificates = MeshTls & Disposable;

/** Reads the files of mutual TLS; undefined where it is off. Throws SettingsError unless the certificate names all services of this process, `here`. */
export async function openCertificates(
  config: CertificateConfig,
  { here, log }: { readonly here: readonly string[]; readonly log: Logger },
): Promise<MeshCertificates | undefined> {
  const files = certificateFiles(config);
  if (files === undefined) return undefined;
  const use = (texts: Readonly<Record<'cert' | 'key' | 'ca', string>>) => {
    checkCertificates(texts);
    checkNames(texts.cert, here);
    return texts;
  };
  const found = await rereadFiles({ files, use, log });
  return {
    get cert() {
      return found.current.cert;
    },
    get key() {
      return found.current.key;
    },
    get ca() {
      return found.current.ca;
    },
    onChange: (listener) => found.onChange(listener),
    [Symbol.dispose]: () => found[Symbol.dispose](),
  };
}

function checkNames(cert: string, here: readonly string[]): void {
  const names = new X509Certificate(cert).subject.split('\n').filter((line) => line.startsWith('CN='));
  const missing = here.filter((service) => !names.includes(`CN=${service}`));
  if (missing.length === 0) return;
  const problem = `has no common name ${missing.join(', ')}: a certificate names the services of its process`;
  throw fault('MESH_TLS_CERT', problem);
}

function fault(variable: string, problem: string): SettingsError {
  return new SettingsError(new Map([[variable, problem]]));
}
