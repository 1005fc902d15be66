import type { Logger, Metrics } from '../../telemetry/index.ts';

/** PEM texts of mutual TLS: this process's certificate and key, and the authority that both sides trust. */
export interface MeshTls {
  cert: string | Buffer;
  key: string | Buffer;
  ca: string | Buffer;
}

export interface MeshOptions {
  /** Where services of other processes are reached, by word: `MESH_<SERVICE>_URL`, e.g. `http://sessions:9000`. */
  urls: Readonly<Record<string, string>>;
  /** `MESH_KEY`: sent with every call over gRPC, and demanded of every call that arrives. */
  key: string;
  /** `MESH_KEY_PREVIOUS`: still accepted, never sent. */
  previousKeys?: readonly string[];
  /** `MESH_TLS_*`; plain text when absent. */
  tls?: MeshTls | undefined;
  log: Logger;
  metrics: Metrics;
}
