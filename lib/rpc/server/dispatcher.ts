import type { DescMessage, DescMethod, DescService, Message, MessageInitShape } from '@bufbuild/protobuf';
import { createServiceImplSpec, type ServiceImpl } from '@connectrpc/connect';
import type { Histogram, Logger, Metrics, Series } from '../../telemetry/index.ts';
import { callInput } from './call-input.ts';
import {
  type CallOrigin,
  callersOf,
  type ConsumerCallsTaker,
  type ConsumerGrants,
  draining,
  internalError,
  MeshError,
  rpcUnimplemented,
  meshWord,
  newMessage,
  type Dispatch,
  type Input,
} from '../call/index.ts';
import { ConsumerGate, type ConsumerCall, grantFaults } from '../consumers/index.ts';
import { createFailureLog } from './failure-log.ts';
import { InFlight } from './in-flight.ts';
import { ServerCall } from './server-call.ts';
import { ServerStream } from './server-stream.ts';

/** The answer of a handler: a message or its plain fields. */
type Answer = MessageInitShape<DescMessage>;
type UnaryHandler = (input: Input, call: ServerCall) => Promise<Answer> | Answer;
type StreamHandler = (input: Input, call: ServerCall) => AsyncIterable<Answer>;

interface Served {
  readonly handler: UnaryHandler | StreamHandler;
  /** Names of the services that may call it. */
  readonly callers: ReadonlySet<string>;
}

/** A call that may be begun. */
interface Admitted {
  readonly handler: Served['handler'];
  /** Absent for services of the mesh, which make almost all calls. */
  readonly consumer?: ConsumerCall | undefined;
}

export interface DispatcherOptions {
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly consumers?: ConsumerGrants | undefined;
  readonly audit?: ConsumerCallsTaker | undefined;
}

/**
 * The services of this process. Transports pass calls to it. Any error of a handler reaches the caller as a MeshError without
 * its cause; unexpected errors are logged here, once.
 */
export class Dispatcher implements Dispatch {
  readonly inFlight = new InFlight();
  readonly #methods = new Map<DescMethod, Served>();
  readonly #services = new Set<string>();
  readonly #refused = new Set<string>();
  readonly #ofConsumers = new WeakMap<ServerCall, ConsumerCall>();
  readonly #log: Logger;
  readonly #logFailure: ReturnType<typeof createFailureLog>;
  readonly #duration: Histogram<'service' | 'method' | 'code'>;
  readonly #timers = new Map<DescMethod, Map<string, Series>>();
  readonly #consumers: ConsumerGate | undefined;
  readonly #grants: ConsumerGrants;
  #closed = false;

  constructor({ log, metrics, consumers = new Map(), audit }: DispatcherOptions) {
    this.#log = log;
    this.#logFailure = createFailureLog(log);
    this.#grants = consumers;
    this.#consumers = consumers.size === 0 ? undefined : new ConsumerGate({ grants: consumers, log, metrics, audit });
    this.#duration = metrics.histogram({
      name: 'agentmesh_rpc_server_duration_seconds',
      help: 'Time from the arrival of a call to its answer, by service, method and code.',
      labelNames: ['service', 'method', 'code'],
      buckets: [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300],
    });
  }

  /** Throws when the service is served already, or one of its methods does not declare who may call it. */
  add<S extends DescService>(service: S, implementation: ServiceImpl<S>): void {
    if (this.serves(service)) throw new Error(`${service.typeName} is already served`);
    const { methods } = createServiceImplSpec<S>(service, implementation);
    for (const { method, impl } of Object.values(methods)) {
      this.#methods.set(method, { handler: impl as Served['handler'], callers: callersOf(method) });
    }
    this.#services.add(service.typeName);
  }

  /** The faults of the grants of consumers for services that are served here, as sentences. */
  grantFaults(services: readonly DescService[]): string[] {
    return grantFaults(this.#grants, services);
  }

  serves(service: DescService): boolean {
    return this.#services.has(service.typeName);
  }

  /** Refuses every call from now on. */
  close(): void {
    this.#closed = true;
  }

  /** A method with one answer. Rejects with MeshError. */
  unary(method: DescMethod, input: Input, origin: CallOrigin): Promise<Message> {
    return new Promise((resolve, reject) => {
      const { handler, consumer } = this.#admit(method, origin.caller);
      const call = this.#open(method, origin, consumer);
      const leave = this.inFlight.enter(call);
      call.onAbort((failure) => reject(this.#fail(call, failure)));
      const answered = (answer: Answer): void => {
        leave();
        if (call.failure) return;
        this.#end(call);
        resolve(newMessage(method.output, answer));
      };
      const failed = (error: unknown): void => {
        leave();
        if (call.failure) this.#logLate(call, error);
        else reject(this.#fail(call, error));
      };
      try {
        Promise.resolve(call.run(() => (handler as UnaryHandler)(boundInput(input, call, consumer), call))).then(
          answered,
          failed,
        );
      } catch (error) {
        failed(error);
      }
    });
  }

  /** A method with any number of answers; the handler starts at once and runs one answer ahead. Throws MeshError. */
  stream(method: DescMethod, input: Input, origin: CallOrigin): ServerStream {
    const { handler, consumer } = this.#admit(method, origin.caller);
    const call = this.#open(method, origin, consumer);
    const stream = new ServerStream({
      call,
      toMessage: (answer) => newMessage(method.output, answer),
      open: () => (handler as StreamHandler)(boundInput(input, call, consumer), call),
      onEnd: () => this.#end(call),
      onError: (error) => this.#fail(call, error),
      onLateError: (error) => this.#logLate(call, error),
    });
    stream.start(this.inFlight.enter(call));
    return stream;
  }

  /** The handler of a method, if `caller` may call it. */
  #admit(method: DescMethod, caller: string): Admitted {
    const served = this.#methods.get(method);
    if (!served) throw rpcUnimplemented(`${method.parent.typeName} has no ${method.name}`);
    if (served.callers.has(caller)) return served;
    const consumer = this.#consumers?.open(method, caller);
    if (consumer === undefined) throw this.#refuse(method, caller);
    return { handler: served.handler, consumer };
  }

  /** Logged once for each caller and method: it is a mistake of a contract, or a service in foreign hands. */
  #refuse(method: DescMethod, caller: string): MeshError {
    const rpc = `${method.parent.typeName}/${method.name}`;
    const key = `${caller} ${rpc}`;
    if (!this.#refused.has(key))
      this.#log.warn({ caller, rpc }, 'refused a call: the contract does not name this caller');
    this.#refused.add(key);
    return new MeshError('permission_denied', 'caller_refused', `${caller} may not call ${rpc}`);
  }

  #open(method: DescMethod, origin: CallOrigin, consumer: ConsumerCall | undefined): ServerCall {
    if (this.#closed) throw draining();
    const call = new ServerCall(method, origin);
    if (consumer !== undefined) this.#ofConsumers.set(call, consumer);
    return call;
  }

  #end(call: ServerCall, code = 'ok'): void {
    call.end(code === 'ok' ? undefined : code);
    const ms = performance.now() - call.startedAt;
    call.noteTime(ms);
    if (this.#consumers) this.#ofConsumers.get(call)?.ended(code, ms);
    this.#timer(call.method, code).observe(ms / 1_000);
  }

  /** Looked up once: that costs more than the observation. */
  #timer(method: DescMethod, code: string): Series {
    const timers = this.#timers.get(method) ?? new Map<string, Series>();
    this.#timers.set(method, timers);
    let timer = timers.get(code);
    if (timer === undefined) {
      timer = this.#duration.labels({ service: meshWord(method.parent), method: method.name, code });
      timers.set(code, timer);
    }
    return timer;
  }

  /** Ends the call and returns the error for the caller. The handler of an aborted call usually throws the abort again: not logged. */
  #fail(call: ServerCall, error: unknown): MeshError {
    const failure = error instanceof MeshError ? error : internalError();
    if (call.failure === undefined) this.#logFailure(call, error);
    this.#end(call, failure.code);
    return new MeshError(failure.code, failure.reason, failure.message);
  }

  /** An error after the call was aborted reaches no caller. It is logged unless it is the abort itself. */
  #logLate(call: ServerCall, error: unknown): void {
    if (error instanceof MeshError || error === call.failure || isAbort(error)) return;
    call.run(() => this.#log.error({ err: error, rpc: call.url }, 'handler failed after its call had ended'));
  }
}

function boundInput(input: Input, call: ServerCall, consumer: ConsumerCall | undefined): Input {
  const bound = Symbol.asyncIterator in input ? callInput(input, call) : input;
  return consumer === undefined ? bound : consumer.checked(bound);
}

function isAbort(error: unknown): boolean {
  return error instanceof Error && (error.name === 'AbortError' || error.name === 'TimeoutError');
}
