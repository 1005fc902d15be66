import type { DescMethod, DescService } from '@bufbuild/protobuf';
import {
  type handleBidiStreamingCall,
  logVerbosity,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { withinDeadline } from '../../wait/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { EXCHANGE_PATH, ExchangeServer, type ExchangeServerOptions } from '../exchange/index.ts';
import { draining, MeshError, type MeshTls, toMeshError } from '../call/index.ts';
import { asIs, CONNECTION_OPTIONS, keyCheck, MESH_CALLER, MESH_KEY, toStatus } from '../wire/index.ts';
import { type GrpcHandlers, type GrpcKind, grpcHandlers } from './grpc-handlers.ts';

export interface GrpcServerOptions {
  dispatcher: Dispatcher;
  /** Any of them admits a call. */
  keys: readonly string[];
  tls?: MeshTls | undefined;
}

const CLOSE_GRACE_MS = 500;
// Connections live longer than the drain's deadline, so that calls which end there can send their status.
const STATUS_GRACE_MS = 5_000;

const KINDS: Record<DescMethod['methodKind'], GrpcKind> = {
  unary: 'unary',
  server_streaming: 'serverStream',
  client_streaming: 'clientStream',
  bidi_streaming: 'bidi',
};

/** Serves the services of a dispatcher over gRPC, and `grpc.health.v1` without a credential. */
export class GrpcServer {
  readonly #server = new Server(CONNECTION_OPTIONS);
  readonly #health = new HealthImplementation({ '': 'SERVING' });
  readonly #services = new Set<DescService>();
  readonly #handlers: GrpcHandlers;
  readonly #methods = new Map<string, DescMethod>();
  readonly #exchanges = new Set<ExchangeServer>();
  readonly #tls: MeshTls | undefined;
  #address: string | undefined;
  #draining = false;

  constructor({ dispatcher, keys, tls }: GrpcServerOptions) {
    const isKey = keyCheck(keys);
    this.#tls = tls;
    const admit = (metadata: Metadata): string => {
      const [presented, caller] = [metadata.get(MESH_KEY)[0], metadata.get(MESH_CALLER)[0]];
      if (typeof presented !== 'string' || !isKey(presented) || typeof caller !== 'string') {
        throw new MeshError('unauthenticated', 'mesh_credential', 'The mesh credential is missing or wrong');
      }
      if (this.#draining) throw draining();
      return caller;
    };
    this.#handlers = grpcHandlers({ dispatcher, admit });
    const exchange: handleBidiStreamingCall<Buffer, Buffer> = (stream) => {
      try {
        this.#exchange(stream, { dispatch: dispatcher, caller: admit(stream.metadata) });
      } catch (error) {
        stream.emit('error', toStatus(toMeshError(error)));
      }
    };
    this.#server.register(EXCHANGE_PATH, exchange, asIs, asIs, 'bidi');
    this.#health.addToServer(this.#server);
  }

  add(service: DescService): void {
    this.#services.add(service);
    for (const method of service.methods) {
      const kind = KINDS[method.methodKind];
      const name = `${service.typeName}/${method.name}`;
      if (kind === 'unary' || kind === 'serverStream') this.#methods.set(name, method);
      this.#server.register(`/${name}`, this.#handlers[kind](method), asIs, asIs, kind);
    }
    this.#health.setStatus(service.typeName, 'SERVING');
  }

  /** Rejects when the address is taken. Port 0 takes any free one. */
  async listen(host: string, port: number): Promise<number> {
    const at = host.includes(':') ? `[${host}]` : host;
    // grpc-js also prints the error that it passes on.
    setLogVerbosity(logVerbosity.NONE);
    const bound = await new Promise<number>((resolve, reject) => {
      this.#server.bindAsync(`${at}:${port}`, this.#credentials(), (error, taken) =>
        error ? reject(error) : resolve(taken),
      );
    }).finally(() => setLogVerbosity(logVerbosity.ERROR));
    this.#address = `${at}:${bound}`;
    return bound;
  }

  /** Health reads NOT_SERVING, new calls are refused, and peers are asked to connect elsewhere. */
  drain(deadlineMs: number): void {
    if (this.#draining) return;
    this.#draining = true;
    for (const exchange of this.#exchanges) exchange.retire();
    this.#health.setStatus('', 'NOT_SERVING');
    for (const service of this.#services) this.#health.setStatus(service.typeName, 'NOT_SERVING');
    if (this.#address !== undefined) this.#server.drain(this.#address, deadlineMs + STATUS_GRACE_MS);
  }

  /** Stops listening; connections that do not end by themselves within half a second are broken. */
  async close(): Promise<void> {
    for (const exchange of this.#exchanges) exchange.retire();
    const shut = new Promise<void>((resolve) => {
      this.#server.tryShutdown(() => resolve());
    });
    await withinDeadline(shut, CLOSE_GRACE_MS, () => undefined);
    this.#server.forceShutdown();
  }

  #exchange(
    stream: ServerDuplexStream<Buffer, Buffer>,
    options: Pick<ExchangeServerOptions, 'dispatch' | 'caller'>,
  ): void {
    const exchange = new ExchangeServer({ ...options, stream, methods: this.#methods });
    this.#exchanges.add(exchange);
    const forget = (): void => void this.#exchanges.delete(exchange);
    stream.once('cancelled', forget).once('finish', forget);
  }

  #credentials(): ServerCredentials {
    if (!this.#tls) return ServerCredentials.createInsecure();
    const { ca, key, cert } = this.#tls;
    const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(cert) };
    return ServerCredentials.createSsl(Buffer.from(ca), [pair], true);
  }
}
