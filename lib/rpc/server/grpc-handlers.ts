import type { EventEmitter } from 'node:events';
import type { DescMethod, Message } from '@bufbuild/protobuf';
import {
  type handleBidiStreamingCall,
  type handleClientStreamingCall,
  type handleServerStreamingCall,
  type handleUnaryCall,
  Metadata,
  type sendUnaryData,
  type ServerDuplexStream,
  type ServerReadableStream,
  type ServerUnaryCall,
  type ServerWritableStream,
} from '@grpc/grpc-js';
import {
  type CallOrigin,
  canceled,
  type Input,
  leavingReason,
  REQUEST_ID,
  toMeshError,
  TRACEPARENT,
} from '../call/index.ts';
import { type Caller, callerOf, MESH_IDENTITY, type PresentedCall } from '../identity/index.ts';
import type { Dispatcher } from './dispatcher.ts';
import { decode, encode } from '../messages/index.ts';
import { MessageReader, MessageWriter, toStatus } from '../wire/index.ts';

/** The handlers that grpc-js wants of a method, by the kind of its streams. Messages stay encoded. */
export interface GrpcHandlers {
  unary(method: DescMethod): handleUnaryCall<Buffer, Buffer>;
  clientStream(method: DescMethod): handleClientStreamingCall<Buffer, Buffer>;
  serverStream(method: DescMethod): handleServerStreamingCall<Buffer, Buffer>;
  bidi(method: DescMethod): handleBidiStreamingCall<Buffer, Buffer>;
}

export type GrpcKind = keyof GrpcHandlers;

export interface GrpcHandlersOptions {
  dispatcher: Dispatcher;
  /** Resolves with the service that calls, or rejects with MeshError. Called before any message is parsed. */
  admit: (call: PresentedCall) => Promise<Caller>;
}

type Call = ServerUnaryCall<Buffer, Buffer> | ServerReadableStream<Buffer, Buffer> | ResponseStream;
type ResponseStream = ServerWritableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>;

/** Carries gRPC calls to the dispatcher and its answers and errors back. A caller that streams is answered with headers as soon as it is admitted: it sends its messages only to a server that takes them. */
export function grpcHandlers({ dispatcher, admit }: GrpcHandlersOptions): GrpcHandlers {
  const answerOnce = async (method: DescMethod, call: Call, input: () => Input): Promise<Buffer> => {
    const origin = originOf(call);
    const caller = callerOf(await admit(call), method);
    return encode(method.output, await dispatcher.unary(method, input(), { ...origin, caller }));
  };
  const answerMany = async (method: DescMethod, call: ResponseStream, input: () => Input): Promise<void> => {
    const origin = originOf(call);
    const writer = new MessageWriter(call, origin.signal);
    try {
      const caller = callerOf(await admit(call), method);
      const answers = dispatcher.stream(method, input(), { ...origin, caller });
      for (let next = await answers.next(); !next.done; next = await answers.next()) {
        await writer.write(encode(method.output, next.value));
      }
      call.end();
    } catch (error) {
      await writer.flushed();
      call.emit('error', toStatus(toMeshError(error)));
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
    send(toStatus(toMeshError(error)));
  }
}

function readInput(
  method: DescMethod,
  call: ServerReadableStream<Buffer, Buffer> | ServerDuplexStream<Buffer, Buffer>,
): MessageReader<Message> {
  call.sendMetadata(new Metadata());
  const reader = new MessageReader<Message>(call, {
    parse: (bytes) => decode(method.input, bytes),
    toFailure: canceled,
  });
  call.once('cancelled', () => reader.abort(leavingReason()));
  return reader;
}

function originOf(call: Call): Omit<CallOrigin, 'caller'> & { signal: AbortSignal } {
  const { metadata } = call;
  const deadline = Number(call.getDeadline());
  const gone = new AbortController();
  const events: EventEmitter = call;
  events.once('cancelled', () => gone.abort(leavingReason(deadline)));
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
    if (typeof value === 'string' && name !== MESH_IDENTITY) header.set(name, value);
  }
  return header;
}
