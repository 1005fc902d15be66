import type { DescService } from '@bufbuild/protobuf';

/** The service's word: `agentmesh.sessions.v1.SessionsService` is `sessions`. */
export function meshWord(service: DescService): string {
  let word = words.get(service);
  if (word === undefined) words.set(service, (word = service.typeName.split('.')[1] ?? service.typeName));
  return word;
}

/** Each call asks for its service's word at both ends. */
const words = new WeakMap<DescService, string>();
