import type { DescService } from '@bufbuild/protobuf';
import { type Client, makeAnyClient } from '@connectrpc/connect';
import { callersOf } from '../call/index.ts';
import type { Mesh, MeshNode } from '../index.ts';

/** A mesh whose clients make each call in the name of the first service that the contract lets make it. */
export function asDeclared(node: Pick<MeshNode, 'as'>): Mesh {
  return {
    client: <S extends DescService>(service: S): Client<S> =>
      makeAnyClient(service, (method) => {
        const [caller = 'nobody'] = callersOf(method);
        return (node.as(caller).client(service) as unknown as Record<string, () => unknown>)[
          method.localName
        ] as () => unknown;
      }) as Client<S>,
    serve: (service, implementation) => node.as('the test').serve(service, implementation),
  };
}
