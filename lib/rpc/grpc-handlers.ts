import type { EventEmitter } from 'node:events';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import type {
  handleBidiStreamingCall,
  handleClientStreamingCall,
  handleServerStreamingCall,
  handleUnaryCall,
  Metadata,
  sendUnaryData,
  ServerDuplexStream,
  ServerReadableStream,
  ServerUnaryCall,
  ServerWritableStream,
} from '@grpc/grpc-js';
import { type CallOrigin, REQUEST_ID, TRACEPARENT } from './call-origin.ts';
import type { Dispatcher, Input } from './dispatcher.ts';
import { canceled, deadlineExceeded, internalError } from './failures.ts';
import { decode, encode } from './grpc-codec.ts';
import { toStatus } from './grpc-status.ts';
import { MESH_KEY } from './mesh-credential.ts';
import { MeshError } from './mesh-error.ts';
import { MessageReader } from './message-reader.ts';
import { MessageWriter } from './message-writer.ts';

/** A caller's deadline passes a little before ours: its call was under way to us when it was measured. */
const SKEW_MS = 250;
const LATE = deadlineExceeded();
const LEFT = canceled();

/** gRPC's handlers of a method, by the kind of its streams. Bytes in, bytes out. */
export interface GrpcHandlers {
  unary(method: DescMethod): handleUnaryCall<Buffer, Buffer>;
  clientStream(method: DescMethod): handleClientStreamingCall<Buffer, Buffer>;
  serverStream(method: DescMethod): handleServerStreamingCall<Buffer, Buffer>;
  bidi(method: DescMethod): handleBidiStreamingCall<Buffer, Buffer>;
}

export type GrpcKind = keyof GrpcHandlers;

export interface GrpcHandlersOptions {
  dispatcher: Dispatcher;
  /** Why a call with this metadata is not let in; undefined lets it in. Asked before any message is parsed. */
  refuse: (metadata: Metadata) => MeshError | undefined;
}

type Call = ServerUnaryCall<Buffer, Buffer> | ServerReadableStream<Buffer, Buffer> | ResponseStream;
type ResponseStream = ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** Carries gRPC calls to the dispatcher and its answers and errors back. */
export function grpcHandlers({ dispatcher, refuse }: GrpcHandlersOptions): GrpcHandlers {
  const answerOnce = async (method: DescMethod, call: Call, input: () => Input): Promise<Buffer> => {
    const origin = originOf(call);
    const refusal = refuse(call.metadata);
    if (refusal) throw refusal;
    return encode(method.output, await dispatcher.unary(method, input(), origin));
  };
  const answerMany = async (method: DescMethod, call: ResponseStream, input: () => Input): Promise<void> => {
    const origin = originOf(call);
    const writer = new MessageWriter(call, origin.signal);
    try {
      const refusal = refuse(call.metadata);
      if (refusal) throw refusal;
      const answers = dispatcher.stream(method, input(), origin);
      for (let next = await answers.next(); !next.done; next = await answers.next()) {
        await writer.write(encode(method.output, next.value));
      }
      call.end();
    } catch (error) {
      await writer.flushed();
      call.emit('error', toStatus(asMeshError(error)));
    }
  };
  return {
    unary: (method) => (call, callback) => {
      void respond(
        answerOnce(method, call, () => decode(method.input, call.request)),
        callback,
      );
    },
    clientStream: (method) => (call, callback) => {
      void respond(
        answerOnce(method, call, () => readInput(method, call)),
        callback,
      );
    },
    serverStream: (method) => (call) => void answerMany(method, call, () => decode(method.input, call.request)),
    bidi: (method) => (call) => void answerMany(method, call, () => readInput(method, call)),
  };
}

async function respond(answer: Promise<Buffer>, send: sendUnaryData<Buffer>): Promise<void> {
  try {
    send(null, await answer);
  } catch (error) {
    send(toStatus(asMeshError(error)));
  }
}

function readInput(
  method: DescMethod,
  call: ServerReadableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
): MessageReader<Message> {
  const reader = new MessageReader<Message>(call, {
    parse: (bytes) => decode(method.input, bytes),
    toFailure: canceled,
  });
  call.once('cancelled', () => reader.abort(LEFT));
  return reader;
}

function originOf(call: Call): CallOrigin & { signal: AbortSignal } {
  const { metadata } = call;
  const deadline = Number(call.getDeadline());
  const gone = new AbortController();
  const events: EventEmitter = call;
  // Emitted at the end of calls that nobody canceled, too: an error of its own for each would cost a stack trace.
  events.once('cancelled', () => gone.abort(deadline - Date.now() < SKEW_MS ? LATE : LEFT));
  const requestId = metadata.get(REQUEST_ID)[0];
  const traceparent = metadata.get(TRACEPARENT)[0];
  return {
    protocolName: 'grpc',
    context: {
      ...(typeof requestId === 'string' && { requestId }),
      ...(typeof traceparent === 'string' && { traceparent }),
    },
    header: () => headersOf(metadata),
    timeoutMs: Number.isFinite(deadline) ? Math.max(1, deadline - Date.now()) : undefined,
    signal: gone.signal,
  };
}

function headersOf(metadata: Metadata): Headers {
  const header = new Headers();
  for (const [name, value] of Object.entries(metadata.getMap())) {
    if (typeof value === 'string' && name !== MESH_KEY) header.set(name, value);
  }
  return header;
}

function asMeshError(error: unknown): MeshError {
  return error instanceof MeshError ? error : internalError(error);
}
