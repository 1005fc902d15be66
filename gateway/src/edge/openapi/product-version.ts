import { readFileSync } from 'node:fs';

const manifest = readFileSync(new URL('../../../package.json', import.meta.url), 'utf8');

/** Version of Agent Mesh, from the gateway's package.json, e.g. `0.1.0`. */
export const productVersion = (JSON.parse(manifest) as { version: string }).version;
