import {
  type DescMethodUnary,
  type DescMessage,
  create,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { Client, credentials, Metadata } from '@grpc/grpc-js';

interface Callee {
  /** `host:port` of the service. */
  readonly address: string;
  /** `MESH_KEY`. */
  readonly key: string;
}

/** Makes one unary call like a program outside of the mesh: plain gRPC with the mesh credential. */
export function callGrpc<I extends DescMessage, O extends DescMessage>(
  { address, key }: Callee,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('mesh-key', encodeURIComponent(key));
  metadata.set('mesh-caller', 'gateway');
  const answered = new Promise<MessageShape<O>>((resolve, reject) => {
    client.makeUnaryRequest(
      `/${method.parent.typeName}/${method.name}`,
      (message: MessageShape<I>) => Buffer.from(toBinary(method.input, message)),
      (bytes: Buffer) => fromBinary(method.output, bytes),
      create(method.input, request),
      metadata,
      (error, answer) => (answer === undefined ? reject(error ?? new Error('no answer')) : resolve(answer)),
    );
  });
  return answered.finally(() => client.close());
}
