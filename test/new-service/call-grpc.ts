import {
  type DescMethodUnary,
  type DescMessage,
  create,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf';
import { deriveIdentities } from '@agentmesh/lib/rpc';
import { presentAs } from '@agentmesh/lib/rpc/testing';
import { Client, credentials } from '@grpc/grpc-js';

interface Callee {
  /** `host:port` of the service. */
  readonly address: string;
  /** `MESH_KEY`, of which the key pairs of all services are derived. */
  readonly key: string;
}

/** Makes one unary call like a program outside of the mesh: plain gRPC with the identity token of the gateway. */
export async function callGrpc<I extends DescMessage, O extends DescMessage>(
  { address, key }: Callee,
  method: DescMethodUnary<I, O>,
  request: MessageInitShape<I>,
): Promise<MessageShape<O>> {
  const client = new Client(address, credentials.createInsecure());
  const audience = [method.parent.typeName.split('.')[1] ?? ''];
  const metadata = await presentAs('gateway', { audience, identities: deriveIdentities([key], ['gateway']) });
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
