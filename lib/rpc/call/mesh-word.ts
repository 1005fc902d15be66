import type { DescService } from '@bufbuild/protobuf';

/** The service's word: `agentmesh.sessions.v1.SessionsService` is `sessions`. */
export function meshWord(service: DescService): string {
  return service.typeName.split('.')[1] ?? service.typeName;
}
