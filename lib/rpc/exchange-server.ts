import { type Call, ExchangeRequestSchema, ExchangeResponseSchema } from '@agentmesh/proto/mesh/v1';
import type { DescMethod, MessageInitShape } from '@bufbuild/protobuf';
import type { ServerDuplexStream } from '@grpc/grpc-js';
import { type CallOrigin, withContext } from './call-origin.ts';
import type { Dispatcher } from './dispatcher.ts';
import { WINDOW_BYTES } from './exchange-call.ts';
import { canceled, draining, internalError } from './failures.ts';
import { asBuffer, decode, encode, MAX_MESSAGE_BYTES } from './grpc-codec.ts';
import { messageTooLarge, toStatus } from './grpc-status.ts';
import { MeshError } from './mesh-error.ts';

export interface ExchangeServerOptions {
  readonly stream: ServerDuplexStream<Buffer, Buffer>;
  readonly dispatcher: Dispatcher;
  /** By `package.Service/Method`. */
  readonly methods: ReadonlyMap<string, DescMethod>;
}

type ResponseKind = NonNullable<MessageInitShape<typeof ExchangeResponseSchema>['kind']>;

interface RunningCall {
  readonly gone: AbortController;
  /** Bytes of answers that the caller has not read. */
  unread: number;
  /** Goes on where it waits for the caller. */
  wake: () => void;
}

/** What a message has beside the answer that it carries, at most, in bytes. */
const FRAME_BYTES = 64;
const LEFT = canceled();

/** The server's end of one stream of calls. */
export class ExchangeServer {
  readonly #options: ExchangeServerOptions;
  readonly #running = new Map<number, RunningCall>();
  #retired = false;
  /** The caller has said all it will. */
  #heard = false;

  constructor(options: ExchangeServerOptions) {
    this.#options = options;
    const { stream } = options;
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.once('end', () => {
      this.#heard = true;
      this.#endWhenIdle();
    });
    stream.once('cancelled', () => {
      for (const call of this.#running.values()) leave(call);
    });
  }

  /** Begins no calls from now on; those under way go on. */
  retire(): void {
    if (this.#retired) return;
    this.#retired = true;
    this.#send(0, { case: 'farewell', value: {} });
  }

  #receive(bytes: Buffer): void {
    try {
      const { id, kind } = decode(ExchangeRequestSchema, bytes);
      const running = this.#running.get(id);
      if (kind.case === 'call') void this.#run(id, kind.value);
      else if (running !== undefined && kind.case === 'credit') {
        running.unread -= kind.value.bytes;
        running.wake();
      } else if (running !== undefined) leave(running);
    } catch {
      this.#options.stream.emit('error', toStatus(internalError()));
    }
  }

  async #run(id: number, call: Call): Promise<void> {
    const running: RunningCall = { gone: new AbortController(), unread: 0, wake: () => undefined };
    this.#running.set(id, running);
    try {
      if (this.#retired) throw draining();
      await this.#answer(id, call, running);
    } catch (error) {
      const { code, reason, message } = error instanceof MeshError ? error : internalError(error);
      const value = { code, reason, message: message.toWellFormed() };
      if (!running.gone.signal.aborted) this.#send(id, { case: 'failure', value });
      // A handler whose answer cannot be sent would go on.
      running.gone.abort(LEFT);
    }
    this.#running.delete(id);
    this.#endWhenIdle();
  }

  async #answer(id: number, call: Call, running: RunningCall): Promise<void> {
    const { dispatcher, methods } = this.#options;
    const method = methods.get(call.method);
    if (method === undefined) throw new MeshError('internal', 'rpc_unimplemented', `There is no ${call.method}`);
    const request = decode(method.input, asBuffer(call.request));
    const origin = originOf(call, running.gone.signal);
    const sendAnswer = (answer: Parameters<typeof encode>[1]): void => {
      const value = encode(method.output, answer);
      if (value.length > MAX_MESSAGE_BYTES - FRAME_BYTES) throw messageTooLarge();
      running.unread += value.length;
      if (!running.gone.signal.aborted) this.#send(id, { case: 'answer', value });
    };
    if (method.methodKind === 'unary') return sendAnswer(await dispatcher.unary(method, request, origin));
    const answers = dispatcher.stream(method, request, origin);
    for (let next = await answers.next(); !next.done; next = await answers.next()) {
      sendAnswer(next.value);
      await hasRoom(running);
    }
    if (!running.gone.signal.aborted) this.#send(id, { case: 'end', value: {} });
  }

  #send(id: number, kind: ResponseKind): void {
    const { stream } = this.#options;
    if (!stream.writableEnded) stream.write(encode(ExchangeResponseSchema, { id, kind }));
  }

  #endWhenIdle(): void {
    if (this.#heard && this.#running.size === 0) this.#options.stream.end();
  }
}

function leave(call: RunningCall): void {
  call.gone.abort(LEFT);
  call.wake();
}

async function hasRoom(call: RunningCall): Promise<void> {
  while (call.unread > WINDOW_BYTES && !call.gone.signal.aborted) {
    await new Promise<void>((resolve) => {
      call.wake = resolve;
    });
  }
}

function originOf({ requestId, traceparent, timeoutMs }: Call, signal: AbortSignal): CallOrigin {
  const context = { ...(requestId !== '' && { requestId }), ...(traceparent !== '' && { traceparent }) };
  return {
    protocolName: 'grpc',
    context,
    header: () => withContext(new Headers(), context),
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
    signal,
  };
}
