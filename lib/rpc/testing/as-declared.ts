import type { DescService } from '@bufbuild/protobuf';
import { type Client, makeAnyClient } from '@connectrpc/connect';
import { callersOf } from '../call/index.ts';
import type { Mesh, MeshNode } from '../index.ts';
import { frozen, type Method } from './frozen.ts';

/** A mesh whose clients make each call in the name of the first service that the contract lets make it. Messages are frozen: see `frozen`. */
export function asDeclared(node: Pick<MeshNode, 'as'>): Mesh {
  return {
    client: <S extends DescService>(service: S): Client<S> =>
      makeAnyClient(service, (method) => {
        const [caller = 'nobody'] = callersOf(method);
        const client = node.as(caller).client(service) as unknown as Record<string, Method>;
        return frozen((...call) => client[method.localName]?.(...call));
      }) as Client<S>,
    serve: (service, implementation) => node.as('the test').serve(service, implementation),
  };
}
