import { randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nkeys } from '@nats-io/transport-node';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MeshTls } from '../../rpc/index.ts';
import { testCertificate } from '../../rpc/testing/index.ts';
import { findNatsServer, startNats, type TestNats } from '../testing/index.ts';
import { connectNats, type NatsOptions } from './connect-nats.ts';

const server = await findNatsServer();
const certificate = testCertificate();
const log = pino({ level: 'silent' });
const resources = new AsyncDisposableStack();
/** For connections that are to succeed. */
const firstConnectionMs = 30_000;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nats-connect-'));
  resources.defer(() => rm(folder, { recursive: true }));
});
afterAll(() => resources.disposeAsync());

async function file(content: string | Uint8Array): Promise<string> {
  const path = join(folder, randomUUID());
  await writeFile(path, content);
  return path;
}

const start = async (config: string): Promise<TestNats> =>
  resources.use(await startNats({ server: server ?? '', config: await file(config) }));

async function connect(options: Partial<NatsOptions> & Pick<NatsOptions, 'servers'>) {
  const connection = await connectNats({
    inboxPrefix: '_INBOX.tests',
    name: 'tests',
    log,
    // An attempt that is refused is made again after a second, until this time is over. One that takes as long is not told why.
    firstConnectionMs: 2_000,
    ...options,
  });
  resources.defer(() => connection.close());
  return connection;
}

const refused = (text: string | RegExp) => ({
  code: 'unavailable',
  reason: 'bus_unavailable',
  cause: expect.objectContaining({ message: expect.stringMatching(text) }) as unknown,
});

describe.skipIf(server === undefined || certificate === undefined)('TLS', () => {
  let nats: TestNats;
  let files: { ca: string; cert: string; key: string };

  beforeAll(async () => {
    const { ca, cert, key } = certificate ?? { ca: '', cert: '', key: '' };
    files = { ca: await file(ca), cert: await file(cert), key: await file(key) };
    const tls = (verify: boolean) =>
      `tls { cert_file: "${files.cert}", key_file: "${files.key}", ca_file: "${files.ca}", verify: ${verify} }`;
    nats = await start(tls(true));
  });

  test('a server is reached with its authority and a certificate of its own, also by the name tls', async () => {
    const connection = await connect({ servers: [nats.url.replace('nats:', 'tls:')], tls: files, firstConnectionMs });
    expect(await connection.rtt()).toBeGreaterThanOrEqual(0);
  });

  test('a server of an unknown authority is refused, and the reason is told', async () => {
    await expect(connect({ servers: [nats.url], tls: {} })).rejects.toMatchObject(refused('self-signed certificate'));
  });

  test('the server refuses a client without a certificate', async () => {
    await expect(connect({ servers: [nats.url], tls: { ca: files.ca } })).rejects.toMatchObject({
      code: 'unavailable',
    });
  });

  test('a server without TLS is refused before it gets the password', async () => {
    const plain = await start('authorization { user: a, password: b }');
    const options = { servers: [plain.url], user: 'a', password: 'b' };
    await expect(connect({ ...options, tls: {} })).rejects.toMatchObject(refused("does not support 'tls'"));
    await connect({ ...options, firstConnectionMs });
  });

  test('files that are replaced are used for the next connection', async () => {
    const tls = { ca: join(folder, 'ca'), cert: join(folder, 'cert'), key: join(folder, 'key') };
    const write = async (one: MeshTls | undefined): Promise<void> => {
      for (const name of ['ca', 'cert', 'key'] as const) await writeFile(tls[name], one?.[name] ?? '');
    };
    await write(certificate);
    const config = `tls { cert_file: "${tls.cert}", key_file: "${tls.key}", ca_file: "${tls.ca}", verify: true }`;
    const changing = await start(config);
    const connection = await connect({ servers: [changing.url], tls, firstConnectionMs });
    await changing.kill();
    await write(testCertificate());
    await changing.start();
    await expect.poll(() => connection.rtt().catch(() => -1)).toBeGreaterThanOrEqual(0);
  });

  test('a file that is missing or is none of TLS is named at once', async () => {
    const servers = [nats.url];
    const missing = join(folder, 'missing.pem');
    await expect(connect({ servers, tls: { ca: missing } })).rejects.toThrow(`${missing} cannot be used.`);
    const garbage = await file('not a certificate');
    await expect(connect({ servers, tls: { ...files, cert: garbage } })).rejects.toThrow('cannot be used.');
  });
});

/** A JWT of NATS: claims that a key signs. */
function jwt(by: nkeys.KeyPair, name: string, of: nkeys.KeyPair, nats: object): string {
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { jti: randomUUID(), iat: 1, iss: by.getPublicKey(), name, sub: of.getPublicKey() };
  const text = `${encode({ typ: 'JWT', alg: 'ed25519-nkey' })}.${encode({ ...claims, nats: { ...nats, version: 2 } })}`;
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString('base64url')}`;
}

const unlimited = { subs: -1, data: -1, payload: -1 };

describe.skipIf(server === undefined)('credentials', () => {
  test('a file of a JWT and a key signs in, and is read again for each connection unless it cannot be used', async () => {
    const [operator, account, user] = [nkeys.createOperator(), nkeys.createAccount(), nkeys.createUser()];
    const system = nkeys.createAccount();
    const limits = { ...unlimited, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 };
    const accounts = [account, system].map(
      (key) => `${key.getPublicKey()}: ${jwt(operator, 'account', key, { type: 'account', limits })}`,
    );
    const nats = await start(`
      operator: ${jwt(operator, 'tests', operator, { type: 'operator' })}
      system_account: ${system.getPublicKey()}
      resolver: MEMORY
      resolver_preload: { ${accounts.join(', ')} }`);
    const userJwt = jwt(account, 'sessions', user, { type: 'user', pub: {}, sub: {}, ...unlimited });
    const seed = Buffer.from(user.getSeed()).toString();
    const line = (name: string, value: string) => `-----BEGIN ${name}-----\n${value}\n------END ${name}------\n`;
    const creds = await file(`${line('NATS USER JWT', userJwt)}\n${line('USER NKEY SEED', seed)}`);

    await expect(connect({ servers: [nats.url] })).rejects.toMatchObject(refused(/authorization/i));
    const connection = await connect({ servers: [nats.url], creds, firstConnectionMs });
    await writeFile(creds, 'half of a file');
    await nats.kill();
    await nats.start();
    await expect.poll(() => connection.rtt().catch(() => -1)).toBeGreaterThanOrEqual(0);
    await expect(connect({ servers: [nats.url], creds })).rejects.toThrow(`${creds} cannot be used.`);
  });

  test('a wrong password is refused, and told without the password', async () => {
    const nats = await start('authorization { user: a, password: right }');
    const error: unknown = await connect({ servers: [nats.url], user: 'a', password: 'wrong-one' }).catch(
      (it: unknown) => it,
    );
    expect(error).toMatchObject(refused(/authorization/i));
    expect(JSON.stringify(error, Object.getOwnPropertyNames(error))).not.toContain('wrong-one');
  });
});

describe.skipIf(server === undefined)('servers', () => {
  test('the next one is used when one is gone, at the start and later', async () => {
    const [one, two, three] = [await start(''), await start(''), await start('')];
    await one.kill();
    const connection = await connect({ servers: [one.url, two.url, three.url], firstConnectionMs });
    const used = connection.getServer();
    await [two, three].find(({ url }) => url === `nats://${used}`)?.kill();
    await expect.poll(() => connection.rtt().catch(() => -1)).toBeGreaterThanOrEqual(0);
  });

  test('that take smaller messages than the bus carries are refused', async () => {
    const small = await start('max_payload: 65536');
    await expect(connect({ servers: [small.url] })).rejects.toThrow('Its max_payload must be at least 270336.');
  });

  test('that are gone at the start are waited for', async () => {
    const nats = await start('');
    await nats.kill();
    const connecting = connect({ servers: [nats.url], firstConnectionMs });
    await nats.start();
    expect(await (await connecting).rtt()).toBeGreaterThanOrEqual(0);
    await nats.kill();
    await expect(connect({ servers: [nats.url] })).rejects.toMatchObject(refused('connection refused'));
  });
});
