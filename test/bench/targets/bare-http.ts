import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { openRows } from './rows.ts';
import { openSameRows } from './same-rows.ts';

type Store = (path: string, value: unknown) => Promise<unknown>;

/**
 * A minimal JSON server in Node: reads a body, parses it and sends it back. With a PostgreSQL address it stores something first: so many rows,
 * each in a commit of its own, one after the other; or, with `same`, the session or the run that the request asks for, as the mesh would. Concurrent
 * requests share their commits, which is the fastest way.
 */
const [port, stored = '0', databaseUrl = ''] = process.argv.slice(2);
const store = await openStore();

async function openStore(): Promise<Store> {
  if (stored === '0') return (_, value) => Promise.resolve(value);
  return stored === 'same' ? storeSame() : storeRows(Number(stored));
}

async function storeRows(commits: number): Promise<Store> {
  const rows = await openRows(databaseUrl);
  return async (_, value) => {
    for (let commit = 0; commit < commits; commit += 1) await rows.commitTogether();
    return value;
  };
}

async function storeSame(): Promise<Store> {
  const rows = await openSameRows(databaseUrl);
  return async (path, value) => {
    if (path.endsWith('/sessions')) return { id: await rows.createSession() };
    if (path === '/run') await rows.run((value as { sessionId: string }).sessionId);
    return value;
  };
}

const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    const answer = await store(request.url ?? '', JSON.parse(body || 'null'));
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer));
  });
});
server.listen(Number(port), '127.0.0.1');
