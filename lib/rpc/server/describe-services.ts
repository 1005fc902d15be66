import { type DescFile, type DescService, toBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';
import type { Server } from '@grpc/grpc-js';
import { ReflectionService } from '@grpc/reflection';

/** Serves `grpc.reflection.v1` and `v1alpha`, without a credential: the descriptions of these services and of what they use. */
export function describeServices(server: Server, services: readonly DescService[]): void {
  const files = new Set<DescFile>();
  for (const { file } of services) addFile(files, file);
  const fileDescriptorProtos = [...files].map(({ proto }) => Buffer.from(toBinary(FileDescriptorProtoSchema, proto)));
  const names = services.map(({ typeName }) => typeName);
  // The library reads nothing else of a definition.
  const definition = { files: { format: '', type: {}, fileDescriptorProtos } };
  new ReflectionService(definition as never, { services: names }).addToServer(server);
}

function addFile(files: Set<DescFile>, file: DescFile): void {
  if (files.has(file)) return;
  files.add(file);
  for (const dependency of file.dependencies) addFile(files, dependency);
}
