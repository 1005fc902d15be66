import { createServer } from 'node:http';
import { text } from 'node:stream/consumers';
import { openRows } from './rows.ts';

/**
 * A minimal JSON server in Node: reads a body, parses it and sends it back. With a PostgreSQL address it first commits
 * `commits` rows, one after the other. Concurrent requests share their commits, which is the fastest way.
 */
const [port, commits = '0', databaseUrl] = process.argv.slice(2);
const rows = databaseUrl === undefined ? undefined : await openRows(databaseUrl);

const server = createServer((request, response) => {
  void text(request).then(async (body) => {
    const value: unknown = JSON.parse(body || 'null');
    for (let commit = 0; commit < Number(commits); commit += 1) await rows?.commitTogether();
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(value));
  });
});
server.listen(Number(port), '127.0.0.1');
