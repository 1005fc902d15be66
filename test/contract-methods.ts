import { globSync } from 'node:fs';
import { join } from 'node:path';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { root } from './deployed-settings.ts';

/** The service that carries the calls of all others, and is called by transports only. */
const carrier = 'agentmesh.mesh.v1.CallsService';

/** All methods of all services of the contracts. */
export async function contractMethods(): Promise<DescMethod[]> {
  const files = globSync('proto/gen/agentmesh/*/v1/*_pb.js', { cwd: root });
  const contracts = await Promise.all(files.map(async (file) => (await import(join(root, file))) as object));
  const services = contracts.flatMap((contract) => Object.values(contract) as unknown[]).filter(isService);
  return services.filter(({ typeName }) => typeName !== carrier).flatMap((service) => service.methods);
}

function isService(value: unknown): value is DescService {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'service';
}
