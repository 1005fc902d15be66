import {
  type Call,
  type ExchangeRequest,
  ExchangeRequestSchema,
  ExchangeResponseSchema,
} from '@agentmesh/proto/mesh/v1';
import type { DescMethod, MessageInitShape } from '@bufbuild/protobuf';
import { Metadata, type ServerDuplexStream } from '@grpc/grpc-js';
import {
  AnswerWindow,
  type CallOrigin,
  type Dispatch,
  internalError,
  leavingReason,
  rpcUnimplemented,
  toMeshError,
  withContext,
} from '../call/index.ts';
import { newSpent, type Spent } from '../../telemetry/index.ts';
import { Stopping } from '../../wait/index.ts';
import { type Caller, callerOf } from '../identity/index.ts';
import { MessageSender, TAKES_SEVERAL } from './message-sender.ts';
import { asBuffer, decode, encode } from '../messages/index.ts';
import { MAX_MESSAGE_BYTES, messageTooLarge, toStatus } from '../wire/index.ts';

export interface ExchangeServerOptions {
  readonly stream: ServerDuplexStream<Buffer, Buffer>;
  readonly dispatch: Dispatch;
  readonly caller: Caller;
  /** By `package.Service/Method`. */
  readonly methods: ReadonlyMap<string, DescMethod>;
}

type ResponseKind = NonNullable<MessageInitShape<typeof ExchangeResponseSchema>['kind']>;

interface RunningCall {
  readonly gone: Stopping;
  /** Time that the call has taken here and behind it, which its last message tells the caller. */
  readonly spent: Spent;
  readonly window: AnswerWindow;
}

/** Bytes of a message besides the answer that it carries, at most. */
const FRAME_BYTES = 64;

/** The server's end of one stream of calls. */
export class ExchangeServer {
  readonly #options: ExchangeServerOptions;
  readonly #sender: MessageSender;
  readonly #running = new Map<number, RunningCall>();
  #hasToldFarewell = false;
  #retired = false;
  /** Whether the caller has ended its side of the stream. */
  #heard = false;

  constructor(options: ExchangeServerOptions) {
    this.#options = options;
    const { stream } = options;
    this.#sender = new MessageSender(stream, (together) => encode(ExchangeResponseSchema, { together }));
    this.#sender.takesSeveral = stream.metadata.get(TAKES_SEVERAL).length > 0;
    // The caller sends calls only to servers that have answered.
    const told = new Metadata();
    told.set(TAKES_SEVERAL, '1');
    stream.sendMetadata(told);
    stream.on('data', (bytes: Buffer) => this.#receive(bytes));
    stream.once('end', () => {
      this.#heard = true;
      this.#endWhenIdle();
    });
    stream.once('cancelled', () => {
      for (const call of this.#running.values()) call.gone.abort(leavingReason());
    });
  }

  /** Asks the caller to send its further calls elsewhere. Calls that it has sent by then are begun. */
  tellFarewell(): void {
    if (this.#hasToldFarewell) return;
    this.#hasToldFarewell = true;
    this.#send(0, { case: 'farewell', value: {} });
  }

  /** Begins no more calls, and tells the caller. Calls under way go on. */
  retire(): void {
    this.#retired = true;
    this.tellFarewell();
  }

  #receive(bytes: Buffer): void {
    try {
      const request = decode(ExchangeRequestSchema, bytes);
      // Copies, so that a message that is kept keeps no others.
      for (const one of request.together) this.#take(decode(ExchangeRequestSchema, Buffer.from(one)));
      if (request.together.length === 0) this.#take(request);
    } catch {
      this.#options.stream.emit('error', toStatus(internalError()));
    }
  }

  #take({ id, kind }: ExchangeRequest): void {
    const running = this.#running.get(id);
    if (kind.case === 'call') void this.#run(id, kind.value);
    else if (kind.case === 'credit') running?.window.credit(kind.value.bytes);
    else running?.gone.abort(leavingReason());
  }

  async #run(id: number, call: Call): Promise<void> {
    if (this.#retired) return this.#send(id, { case: 'refused', value: {} });
    const running: RunningCall = { gone: new Stopping(), spent: newSpent(), window: new AnswerWindow() };
    this.#running.set(id, running);
    try {
      await this.#answer(id, call, running);
    } catch (error) {
      const { code, reason, message } = toMeshError(error);
      const value = { code, reason, message: message.toWellFormed() };
      if (running.gone.ended === undefined) this.#send(id, { case: 'failure', value }, running.spent);
      // Ends a handler whose answer cannot be sent; it would go on.
      running.gone.abort(leavingReason());
    }
    this.#running.delete(id);
    this.#endWhenIdle();
  }

  async #answer(id: number, call: Call, running: RunningCall): Promise<void> {
    const { dispatch, caller, methods } = this.#options;
    const method = methods.get(call.method);
    if (method === undefined) throw rpcUnimplemented(`There is no ${call.method}`);
    const request = decode(method.input, asBuffer(call.request));
    const origin = originOf(call, callerOf(caller, method), running);
    const isOnly = method.methodKind === 'unary';
    const sendAnswer = (answer: Parameters<typeof encode>[1]): void => {
      const value = encode(method.output, answer);
      if (value.length > MAX_MESSAGE_BYTES - FRAME_BYTES) throw messageTooLarge();
      running.window.sent(value.length);
      if (running.gone.ended === undefined)
        this.#send(id, { case: 'answer', value }, isOnly ? running.spent : undefined);
    };
    if (isOnly) return sendAnswer(await dispatch.unary(method, request, origin));
    const answers = dispatch.stream(method, request, origin);
    for (let next = await answers.next(); !next.done; next = await answers.next()) {
      sendAnswer(next.value);
      await running.window.hasRoom(running.gone);
    }
    if (running.gone.ended === undefined) this.#send(id, { case: 'end', value: {} }, running.spent);
  }

  #send(id: number, kind: ResponseKind, spent?: Spent): void {
    const { stream } = this.#options;
    if (stream.writableEnded) return;
    const message = { id, kind, databaseMs: spent?.database ?? 0, modelMs: spent?.model ?? 0 };
    this.#sender.send(encode(ExchangeResponseSchema, message));
  }

  #endWhenIdle(): void {
    if (this.#heard && this.#running.size === 0) this.#sender.end();
  }
}

function originOf(
  { requestId, traceparent, timeoutMs, headers }: Call,
  caller: string,
  { gone, spent }: RunningCall,
): CallOrigin {
  const context = { ...(requestId !== '' && { requestId }), ...(traceparent !== '' && { traceparent }), spent };
  return {
    protocolName: 'grpc',
    caller,
    context,
    header: () => withContext(new Headers(headers), context),
    timeoutMs: timeoutMs === 0 ? undefined : timeoutMs,
    left: gone,
  };
}
