import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const bundle = process.env['AGENT_MESH_BUNDLE'];

/** The program of a worker. `scripts/bundling` replaces this module in the bundle. Tests, which run the sources, name the bundle by a variable: its workers take a third of the processor time to start. */
export const workerEntry =
  bundle === undefined
    ? fileURLToPath(new URL('../../worker/start.ts', import.meta.url))
    : join(bundle, 'worker', 'start.mjs');
