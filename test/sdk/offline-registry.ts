import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

interface PackedPackage {
  readonly name: string;
  readonly version: string;
  /** Path of its tarball. */
  readonly tarball: string;
}

/** An npm registry that has these packages and no others. */
export async function startRegistry(packages: readonly PackedPackage[]): Promise<AsyncDisposable & { url: string }> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const found = packages.find(({ name }) => path === name || path === `${name}.tgz`);
    if (found === undefined) return void response.writeHead(404).end('{"error":"not found"}');
    const bytes = readFileSync(found.tarball);
    if (path.endsWith('.tgz')) return void response.end(bytes);
    response.setHeader('content-type', 'application/json').end(JSON.stringify(describe(found, bytes, url)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await once(server.close(), 'close');
    },
  };
}

/** The answer of a registry about a package, as npm reads it. */
function describe({ name, version }: PackedPackage, bytes: Buffer, url: string): object {
  const integrity = `sha512-${createHash('sha512').update(bytes).digest('base64')}`;
  const dist = { tarball: `${url}/${encodeURIComponent(name)}.tgz`, integrity };
  const manifest = { name, version, dist, ...(name === 'agentmesh' && { bin: { agentmesh: 'agentmesh.mjs' } }) };
  return { name, 'dist-tags': { latest: version }, versions: { [version]: manifest } };
}
