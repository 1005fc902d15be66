import { readFile } from 'node:fs/promises';
import { connect, credsAuthenticator, type NatsConnection, type NodeConnectionOptions } from '@nats-io/transport-node';
import type { Logger } from '../../telemetry/index.ts';
import { MeshError } from '../../rpc/index.ts';
import { withinDeadline } from '../../wait/index.ts';

/** How NATS is reached. */
export interface NatsOptions {
  /** nats:// or tls:// addresses of one server or of several of a cluster. */
  readonly servers: readonly string[];
  /** File of a user's JWT and key. */
  readonly creds?: string | undefined;
  readonly user?: string | undefined;
  readonly password?: string | undefined;
  /** Files. `ca` alone verifies the server; with `cert` and `key` the client proves itself too. */
  readonly tls?:
    | { readonly ca?: string | undefined; readonly cert?: string | undefined; readonly key?: string | undefined }
    | undefined;
  /** Copies of each stream in a cluster. Default 1. */
  readonly replicas?: number | undefined;
  /** Milliseconds after which a message of a process that does not answer is delivered again. Default 10,000; tests shorten it. */
  readonly ackWaitMs?: number | undefined;
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

/**
 * Connects to NATS and stays connected: a lost connection, or a server that does not answer pings for four seconds, is followed by attempts to connect again, to
 * every server in turn, until `close`. Throws `unavailable` when the first connection is not made in 30 s.
 */
export async function connectNats(options: NatsOptions): Promise<NatsConnection> {
  const { servers, creds, user, password, name, inboxPrefix } = options;
  const tls = await readTls(options);
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
    ...(creds !== undefined && { authenticator: credsAuthenticator(await readFile(creds)) }),
    ...(user !== undefined && { user, pass: password ?? '' }),
    ...(tls !== undefined && { tls }),
  };
  const until = Date.now() + FIRST_CONNECTION_MS;
  for (;;) {
    try {
      return await withinDeadline(connect(settings), FIRST_CONNECTION_MS, () => {
        throw new Error('NATS does not let this user in, or does not answer');
      });
    } catch (cause) {
      if (Date.now() > until)
        throw new MeshError('unavailable', 'bus_unavailable', 'NATS cannot be reached.', { cause });
      options.log.warn({ err: cause }, 'NATS cannot be reached: trying again');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

async function readTls({ tls }: NatsOptions) {
  if (tls === undefined) return undefined;
  const read = async (file: string | undefined) => (file === undefined ? undefined : readFile(file, 'utf8'));
  const [ca, cert, key] = await Promise.all([read(tls.ca), read(tls.cert), read(tls.key)]);
  return { ...(ca !== undefined && { ca }), ...(cert !== undefined && { cert }), ...(key !== undefined && { key }) };
}
