import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';
import pg from 'pg';
import { expect, test } from 'vitest';
import type { MeshTls } from '../../rpc/index.ts';
import { testCertificate } from '../../rpc/testing/index.ts';
import { AnswerWatch } from './answer-watch.ts';
import { testDatabaseUrl } from '../testing/index.ts';
import { createPool } from './create-pool.ts';

const certificates = [testCertificate(), testCertificate()];

/** A server that agrees to TLS as PostgreSQL does, and ends each connection whose client has accepted its certificate. */
async function startTlsServer({ cert, key }: MeshTls) {
  let accepted = 0;
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write('S');
      const secure = new TLSSocket(socket, { isServer: true, cert, key });
      secure.on('error', () => undefined);
      secure.once('secure', () => {
        accepted += 1;
        secure.destroy();
      });
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    accepted: () => accepted,
    [Symbol.asyncDispose]: async () => void (await once(server.close(), 'close')),
  };
}

test.skipIf(certificates[0] === undefined)(
  'the authority that an address of PostgreSQL names is read again for each connection',
  async () => {
    const [former, next] = certificates as [MeshTls, MeshTls];
    await using resources = new AsyncDisposableStack();
    const folder = await mkdtemp(join(tmpdir(), 'pg-authority-'));
    resources.defer(() => rm(folder, { recursive: true }));
    const server = resources.use(await startTlsServer(next));
    const authority = join(folder, 'ca.pem');
    await writeFile(authority, former.ca);
    const pool = createPool({
      connectionString: `postgres://a@127.0.0.1:${server.port}/a?sslmode=verify-full&sslrootcert=${authority}`,
      max: 1,
      connectionTimeoutMillis: 10_000,
      statementMs: 10_000,
      watch: new AnswerWatch(),
      onLost: () => undefined,
    });
    resources.defer(() => pool.end());
    await expect(pool.connect()).rejects.toThrow('self-signed certificate');
    expect(server.accepted()).toBe(0);
    await writeFile(authority, next.ca);
    await expect(pool.connect()).rejects.toThrow();
    await expect.poll(() => server.accepted()).toBe(1);
  },
);

test('a connection that breaks before the pool has it fails the statements that follow, and ends nothing else', async () => {
  await using database = await testDatabaseUrl();
  const pool = createPool({
    connectionString: database.url,
    max: 1,
    connectionTimeoutMillis: 10_000,
    // No statement of the connection waits when the server ends it. `once` would reject at the error that comes before the end.
    onConnected: async (client) => {
      const ended = new Promise((resolve) => client.once('end', resolve));
      const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
      await other.query('select pg_terminate_backend($1)', [rows[0]?.pid]);
      await ended;
    },
    onLost: () => undefined,
  });
  const other = new pg.Client({ connectionString: database.url });
  await other.connect();
  try {
    await expect(pool.query('select 1')).rejects.toThrow();
  } finally {
    await other.end();
    await pool.end();
  }
});
