import type { DescService } from '@bufbuild/protobuf';
import type { ServiceImpl } from '@connectrpc/connect';
import { MeshError } from '../call/index.ts';

/** An implementation whose every call fails with `not_found` `not_served`, for methods that a test does not expect to be called. */
export function unserved<S extends DescService>(service: S): ServiceImpl<S> {
  const methods = service.methods.map((method) => [method.localName, notServed] as const);
  return Object.fromEntries(methods) as unknown as ServiceImpl<S>;
}

function notServed(): never {
  throw new MeshError('not_found', 'not_served', 'The test does not serve this');
}
