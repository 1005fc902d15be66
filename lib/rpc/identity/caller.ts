import type { DescMethod } from '@bufbuild/protobuf';
import { meshWord } from '../call/index.ts';
import { identityRefused } from './identity-refused.ts';

/** A service of another process that has proven who it is. */
export interface Caller {
  /** Name of the service. */
  readonly name: string;
  /** Names of the services that it may present this proof to; undefined for all. */
  readonly audience: ReadonlySet<string> | undefined;
  /** Time of performance.now() after which the proof is void. A step of the wall clock does not change it. */
  readonly expiresAt: number;
}

/** Returns the name of the caller, or throws MeshError when its proof is void or meant for another service than the method's. */
export function callerOf({ name, audience, expiresAt }: Caller, method: DescMethod): string {
  if (performance.now() > expiresAt) throw identityRefused(`the token of ${name} has expired`);
  const service = meshWord(method.parent);
  if (audience?.has(service) === false) throw identityRefused(`the token of ${name} is not for ${service}`);
  return name;
}
