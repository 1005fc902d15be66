import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { CaseServer, cutsOf } from './case-server.ts';
import { readCases } from './cases.ts';

interface Asked {
  readonly file: string;
  readonly index: number;
  readonly cutAt?: number | null;
}

/**
 * Starts case servers for a client in another language. `POST /cuts` answers where the stream of a case is to be cut, one after another; `POST /start` the
 * address of a new server; `POST /end` what was asked otherwise than the case says.
 */
export async function startCaseControl(): Promise<AsyncDisposable & { readonly url: string }> {
  let server: CaseServer | undefined;
  const answer = async (path: string | undefined, { file, index, cutAt }: Asked): Promise<unknown> => {
    if (path === '/end') {
      const told = { faults: server?.faults, left: server?.left };
      await server?.[Symbol.asyncDispose]();
      return told;
    }
    const found = readCases(file)[index];
    if (found === undefined) throw new Error(`${file} has no case ${index}`);
    if (path === '/cuts') return cutsOf(found).map((it) => it ?? null);
    server = await CaseServer.start(found.server, cutAt ?? undefined);
    return { url: server.url };
  };
  const control = createServer((request, response) => {
    json(request)
      .then((asked) => answer(request.url, asked as Asked))
      .then(
        (told) => response.end(JSON.stringify(told)),
        (error: unknown) => response.writeHead(500).end(String(error)),
      );
  });
  control.listen(0, '127.0.0.1');
  await once(control, 'listening');
  return {
    url: `http://127.0.0.1:${(control.address() as AddressInfo).port}`,
    [Symbol.asyncDispose]: async () => {
      control.closeAllConnections();
      await once(control.close(), 'close');
    },
  };
}
