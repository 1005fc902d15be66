import { readFileSync } from 'node:fs';
import {
  type Authenticator,
  connect,
  credsAuthenticator,
  type NatsConnection,
  type NodeConnectionOptions,
} from '@nats-io/transport-node';
import { type Certificates, checkCertificates, type RereadFiles, rereadFiles } from '../../certificates/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { withinDeadline } from '../../wait/index.ts';
import { busUnavailable, MAX_PAYLOAD_BYTES } from '../driver/index.ts';

/** How NATS is reached. */
export interface NatsOptions {
  /** nats:// or tls:// addresses of one server or of several of a cluster. */
  readonly servers: readonly string[];
  /** File of a user's JWT and key. It is read again for each connection, so that it may be replaced before the JWT expires. */
  readonly creds?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /**
   * Files; set: servers without TLS are refused. `ca` replaces the system's authorities; with `cert` and `key` the client proves itself too. They are read again when they
   * change, for the next connection.
   */
  readonly tls?:
    | { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** Copies of each stream in a cluster. Default 1. */
  readonly replicas?: number | undefined;
  /** Milliseconds after which a message of a process that does not answer is delivered again. Default 10,000; tests shorten it. */
  readonly ackWaitMs?: number | undefined;
  /** Milliseconds without a reader after which a durable consumer of an earlier release is removed. Default: a day; tests shorten it. */
  readonly retireAfterMs?: number | undefined;
  /** Milliseconds after which the first connection is given up. Default 30,000; tests shorten it. */
  readonly firstConnectionMs?: number | undefined;
  /** Prefix of the reply subjects of this process, which its permissions name. */
  readonly inboxPrefix: string;
  /** Name of the connection, for operators. */
  readonly name: string;
  readonly log: Logger;
}

const CONNECT_MS = 5_000;
/** A server that does not answer for two of these is given up. */
const PING_MS = 2_000;
const FIRST_CONNECTION_MS = 30_000;
/** Smallest `max_payload` of a server: the largest payload and its headers. */
const LEAST_MAX_PAYLOAD_BYTES = MAX_PAYLOAD_BYTES + 8 * 1024;

/**
 * Connects to NATS and stays connected: a lost connection, or a server that does not answer pings for four seconds, is followed by attempts to connect again, to
 * every server in turn, until `close`. Throws `unavailable` when the first connection is not made in 30 s; at once when a file cannot be used, and when the server
 * refuses messages of the size that the bus carries.
 */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  using resources = new DisposableStack();
  const certificates = await readTls(options);
  resources.use(certificates);
  const connection = await untilConnected(options, certificates);
  const most = connection.info?.max_payload ?? LEAST_MAX_PAYLOAD_BYTES;
  if (most >= LEAST_MAX_PAYLOAD_BYTES) {
    const opened = resources.move();
    void connection.closed().then(() => opened.dispose());
    return connection;
  }
  await connection.close();
  const message = `The server takes messages of at most ${most} bytes. Its max_payload must be at least ${LEAST_MAX_PAYLOAD_BYTES}.`;
  throw busUnavailable(undefined, message);
}

async function untilConnected(
  options: NatsOptions,
  certificates: RereadFiles<Certificates> | undefined,
): Promise<NatsConnection> {
  const { servers, creds, user, password, name, inboxPrefix, firstConnectionMs = FIRST_CONNECTION_MS } = options;
  // The client reads it at each connection.
  const tls = { ...certificates?.current };
  certificates?.onChange(() => Object.assign(tls, certificates.current));
  const settings: NodeConnectionOptions = {
    servers: [...servers],
    name,
    inboxPrefix,
    timeout: CONNECT_MS,
    pingInterval: PING_MS,
    maxPingOut: 2,
    maxReconnectAttempts: -1,
    reconnectTimeWait: 100,
    reconnectJitter: 200,
    ignoreAuthErrorAbort: true,
    ...(creds !== undefined && { authenticator: readCreds(creds) }),
    ...(user !== undefined && { user, pass: password ?? '' }),
    ...(certificates !== undefined && { tls }),
  };
  const until = performance.now() + firstConnectionMs;
  for (;;) {
    try {
      return await withinDeadline(connect(settings), firstConnectionMs, () => {
        throw new Error('NATS does not let this user in, or does not answer');
      });
    } catch (cause) {
      if (performance.now() > until) throw busUnavailable(cause, 'NATS cannot be reached.');
      options.log.warn({ err: cause }, 'NATS cannot be reached: trying again');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

/** The texts of the files, which the client asks for at each connection. */
async function readTls({ tls, log }: NatsOptions): Promise<RereadFiles<Certificates> | undefined> {
  if (tls === undefined) return undefined;
  const given = Object.entries(tls).flatMap(([name, file]) => (file === undefined ? [] : [[name, file] as const]));
  const files: Record<string, string> = Object.fromEntries(given);
  const use = (texts: Readonly<Record<string, string>>): Certificates => {
    checkCertificates(texts);
    return texts;
  };
  return await rereadFiles({ files, use, log }).catch((cause: unknown) => {
    throw busUnavailable(cause, `${Object.values(files).join(', ')} cannot be used.`);
  });
}

/** The file is read again at each connection, unless it cannot be used: an authenticator that throws would end the connection for good. */
function readCreds(file: string): Authenticator {
  const read = (): Authenticator => {
    const authenticator = credsAuthenticator(readFileSync(file));
    authenticator('a nonce');
    return authenticator;
  };
  let good = usable(file, read);
  return (nonce) => {
    try {
      good = read();
    } catch {
      // It is being replaced.
    }
    return good(nonce);
  };
}

/** Throws `unavailable`, naming the file, when `use` throws. */
function usable<T>(file: string, use: () => T): T {
  try {
    return use();
  } catch (cause) {
    throw busUnavailable(cause, `${file} cannot be used.`);
  }
}
