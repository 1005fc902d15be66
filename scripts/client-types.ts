import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describeRoutes } from '@agentmesh/gateway';

const client = fileURLToPath(new URL('../sdk/typescript', import.meta.url));

/** The file of the TypeScript client that is generated from the OpenAPI document. */
export const clientTypesFile = join('sdk', 'typescript', 'gen', 'api.ts');

/** The text of `clientTypesFile` for the routes of the gateway. */
export async function clientTypesText(): Promise<string> {
  const input = JSON.stringify(await describeRoutes());
  const { status, stdout, stderr } = spawnSync(process.execPath, [join(client, 'generate-types.ts')], {
    input,
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(`the types of the client cannot be generated:\n${stderr.toString()}`);
  return stdout.toString();
}
