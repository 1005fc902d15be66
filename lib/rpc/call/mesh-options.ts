import type { KeyObject } from 'node:crypto';
import type { Logger, Metrics } from '../../telemetry/index.ts';

/** PEM texts of mutual TLS: this process's certificate and key, and the authority that both sides trust. */
export interface MeshTls {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
  readonly ca: string | Buffer;
  /** Calls `listener` after each change of the texts, until it is disposed; absent where they never change. New connections use the new texts. */
  onChange?(listener: () => void): Disposable;
}

/** The key pairs with which services prove to other processes who they are (Ed25519). */
export interface MeshIdentities {
  /** Private keys of the services of this process, by name. */
  readonly own: ReadonlyMap<string, KeyObject>;
  /** Public keys of all services, by key id. A service may have several. */
  readonly known: ReadonlyMap<string, NamedKey>;
}

/** A key of a service. */
export interface NamedKey {
  readonly service: string;
  readonly key: KeyObject;
}

/** The permission of a program outside of the mesh, by the name that its key or certificate proves. */
export interface ConsumerGrant {
  /** Public keys, of which any proves the name; empty where certificates do. */
  readonly keys: readonly KeyObject[];
  /** `service.Method`, e.g. `sessions.GetSession`. */
  readonly methods: ReadonlySet<string>;
  /** UUIDs of accounts; undefined for all accounts. */
  readonly accounts: ReadonlySet<string> | undefined;
}

/** Grants by the names of their consumers. */
export type ConsumerGrants = ReadonlyMap<string, ConsumerGrant>;

/** Takes each call of a consumer, with the accounts that it names. `isRefused`: the grant has no such method or account. */
export interface ConsumerCallsTaker {
  add(
    call: { readonly consumer: string; readonly service: string; readonly method: string; readonly isRefused: boolean },
    accounts: ReadonlySet<string>,
  ): void;
}

export interface MeshOptions {
  /** Where services of other processes are reached, by word: `MESH_<SERVICE>_URL`, e.g. `http://sessions:9000`. */
  urls: Readonly<Record<string, string>>;
  /** Prove to other processes which service calls, and tell which service calls from them. Not used with `tls`. */
  identities?: MeshIdentities | undefined;
  /** `MESH_TLS_*`; plain text when absent. The common names of a certificate are the services of its process. */
  tls?: MeshTls | undefined;
  /** Programs outside of the mesh that may call services of this process. Their keys are among the known ones of `identities`. */
  consumers?: ConsumerGrants | undefined;
  /** Takes their calls. */
  audit?: ConsumerCallsTaker | undefined;
  /** Describes the services of this process to anybody who asks (`grpc.reflection.v1`). Default false. */
  reflection?: boolean | undefined;
  log: Logger;
  metrics: Metrics;
}
