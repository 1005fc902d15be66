import { setTimeout as delay } from 'node:timers/promises';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import {
  experimental,
  type handleBidiStreamingCall,
  logVerbosity,
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  setLogVerbosity,
} from '@grpc/grpc-js';
import { HealthImplementation } from 'grpc-health-check';
import { Wake, withinDeadline } from '../../wait/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { EXCHANGE_PATH, ExchangeServer, type ExchangeServerOptions } from '../exchange/index.ts';
import type { Logger } from '../../telemetry/index.ts';
import { draining, type MeshIdentities, type MeshTls, toMeshError } from '../call/index.ts';
import { asIs, certificateProvider, CONNECTION_OPTIONS, toStatus } from '../wire/index.ts';
import { type Caller, createCallCheck, type PresentedCall } from '../identity/index.ts';
import { createRefusalLog } from './refusal-log.ts';
import { type GrpcHandlers, type GrpcKind, grpcHandlers } from './grpc-handlers.ts';

export interface GrpcServerOptions {
  dispatcher: Dispatcher;
  /** Tells which service calls; not used with `tls`. Without both, every call is refused. */
  identities?: MeshIdentities | undefined;
  tls?: MeshTls | undefined;
  log: Logger;
}

/** Longer than a caller pauses between two attempts to connect, so that one which comes to a leaving replica first finds another before this one is gone. */
const LEAST_LEAVING_MS = 750;
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
  readonly #left = new Wake();
  #leaving = false;
  #draining = false;

  constructor({ dispatcher, identities, tls, log }: GrpcServerOptions) {
    this.#tls = tls;
    const check = createCallCheck(identities, tls);
    const onRefused = createRefusalLog(log);
    const admit = async (call: PresentedCall): Promise<Caller> => {
      try {
        const caller = await check(call);
        if (this.#draining) throw draining();
        return caller;
      } catch (error) {
        throw onRefused(toMeshError(error), call);
      }
    };
    this.#handlers = grpcHandlers({ dispatcher, admit });
    const exchange: handleBidiStreamingCall<Buffer, Buffer> = (stream) => {
      admit(stream).then(
        (caller) => this.#exchange(stream, { dispatch: dispatcher, caller }),
        (error: unknown) => stream.emit('error', toStatus(toMeshError(error))),
      );
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

  /** Tells anybody who asks what these services are. Before `listen`. */
  async describe(services: readonly DescService[]): Promise<void> {
    if (services.length === 0) return;
    const { describeServices } = await import('./describe-services.ts');
    describeServices(this.#server, services);
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

  /**
   * Health reads NOT_SERVING, and peers are asked to connect elsewhere; calls that come all the same are served. Resolves after three quarters of a
   * second when no peer has a stream of calls any more, at the latest after `mostMs`. Connections are broken some seconds after `deadlineMs`.
   */
  async leave(mostMs: number, deadlineMs: number): Promise<void> {
    this.#beginLeaving(deadlineMs);
    const endsAt = performance.now() + mostMs;
    await delay(Math.min(LEAST_LEAVING_MS, mostMs));
    const leftMs = (): number => endsAt - performance.now();
    while (this.#exchanges.size > 0 && leftMs() > 0) await this.#left.wait({ timeoutMs: leftMs() });
  }

  /** New calls are refused; otherwise like `leave`. */
  drain(deadlineMs: number): void {
    this.#draining = true;
    this.#beginLeaving(deadlineMs);
    for (const exchange of this.#exchanges) exchange.retire();
  }

  #beginLeaving(deadlineMs: number): void {
    if (this.#leaving) return;
    this.#leaving = true;
    for (const exchange of this.#exchanges) exchange.tellFarewell();
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
    if (stream.cancelled) return;
    const exchange = new ExchangeServer({ ...options, stream, methods: this.#methods });
    // The drain may have begun while the identity was checked.
    if (this.#draining) exchange.retire();
    else if (this.#leaving) exchange.tellFarewell();
    this.#exchanges.add(exchange);
    const forget = (): void => {
      this.#exchanges.delete(exchange);
      if (this.#exchanges.size === 0) this.#left.wake();
    };
    stream.once('cancelled', forget).once('finish', forget);
  }

  #credentials(): ServerCredentials {
    if (!this.#tls) return ServerCredentials.createInsecure();
    const provider = certificateProvider(this.#tls);
    return experimental.createCertificateProviderServerCredentials(provider, provider, true);
  }
}
