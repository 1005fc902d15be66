import type { DescService } from '@bufbuild/protobuf';
import type { GrpcServer, GrpcServerOptions } from './grpc-server.ts';

export { Dispatcher } from './dispatcher.ts';
export type { GrpcServer } from './grpc-server.ts';
export { leavingOf } from './leaving.ts';
export { Roster } from './roster.ts';

/** Loads grpc-js, which takes 165 ms and 23 MB: a process that only calls itself does without it. `described` are told to anybody who asks. */
export async function createGrpcServer(
  options: GrpcServerOptions,
  described: readonly DescService[],
): Promise<GrpcServer> {
  const { GrpcServer } = await import('./grpc-server.ts');
  const server = new GrpcServer(options);
  await server.describe(described);
  return server;
}
