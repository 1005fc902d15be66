import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createAddressPolicy } from './address-policy.ts';
import { createGuardedFetch, type GuardedFetchOptions } from './guarded-fetch.ts';

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(listener: RequestListener): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

function resolving(...addresses: string[]): Pick<GuardedFetchOptions, 'resolveAll'> {
  return { resolveAll: async () => addresses.map((address) => ({ address, family: 4 })) };
}

const refused = { reason: 'address_refused' };

describe('the guarded fetch', () => {
  const literals = [
    '127.0.0.1',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    '0.0.0.0',
    '017700000001',
    '[::1]',
    '[::]',
    'localhost',
  ];
  test.each(literals)('refuses loopback written as %s', async (host) => {
    const port = await serve((_request, response) => response.end('inside'));
    await expect(createGuardedFetch({ allow: [] })(`http://${host}:${port}/`)).rejects.toMatchObject(refused);
  });

  test('refuses a port of another protocol, whatever may be reached there', async () => {
    const get = createGuardedFetch({ allow: ['127.0.0.1'] });
    await expect(get('http://127.0.0.1:6000/')).rejects.toMatchObject(refused);
    await expect(get('http://127.0.0.1:25/')).rejects.toMatchObject(refused);
    await expect(get('http://127.0.0.1:1024/')).rejects.toMatchObject({ reason: 'unreachable' });
  });

  test('refuses a name when one of its addresses is private', async () => {
    const fetch = createGuardedFetch({ allow: [], ...resolving('93.184.216.34', '10.0.0.1') });
    await expect(fetch('http://two.example/')).rejects.toMatchObject(refused);
  });

  test('tells nobody whether an address was refused or nobody listens there', async () => {
    const port = await serve((_request, response) => response.end('inside'));
    const textOf = (url: string, allow: string[]) =>
      createGuardedFetch({ allow })(url).then(
        () => '',
        (error: Error) => error.message,
      );
    const refused = await textOf(`http://localhost:${port}/`, []);
    expect(refused).toBe('The address cannot or may not be reached from here.');
    expect(await textOf('http://127.0.0.1:1/', ['127.0.0.1'])).toBe(refused);
    expect(await textOf('http://does-not-exist.invalid/', [])).toBe(refused);
  });

  test('reaches hosts that are allowed by address, CIDR or name', async () => {
    const port = await serve((_request, response) => response.setHeader('content-type', 'text/x').end('hello'));
    for (const allow of ['127.0.0.1', '127.0.0.0/8', 'localhost']) {
      const host = allow === 'localhost' ? 'localhost' : '127.0.0.1';
      const response = await createGuardedFetch({ allow: [allow], ...resolving('127.0.0.1') })(
        `http://${host}:${port}/`,
      );
      expect(Buffer.from(response.body).toString()).toBe('hello');
      expect(response).toMatchObject({ status: 200, truncated: false });
      expect(response.headers.get('content-type')).toBe('text/x');
    }
  });

  test('refuses a redirect to a private address, follows one to an allowed host', async () => {
    const port = await serve((request, response) => {
      if (request.url === '/home') return response.end('home');
      const location = request.url === '/in' ? 'http://10.0.0.1/' : '/home';
      return response.writeHead(302, { location }).end();
    });
    const fetch = createGuardedFetch({ allow: ['127.0.0.1'] });
    await expect(fetch(`http://127.0.0.1:${port}/in`)).rejects.toMatchObject(refused);
    expect(Buffer.from((await fetch(`http://127.0.0.1:${port}/`)).body).toString()).toBe('home');
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'http://user:secret@example.com/'])(
    'refuses a redirect to %s',
    async (location) => {
      const port = await serve((_request, response) => response.writeHead(302, { location }).end());
      const fetch = createGuardedFetch({ allow: ['127.0.0.1'] });
      await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ reason: 'address_invalid' });
    },
  );

  test('a circle of redirects ends with an error', async () => {
    const port = await serve((_request, response) => response.writeHead(302, { location: '/' }).end());
    const fetch = createGuardedFetch({ allow: ['127.0.0.1'] });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ reason: 'too_many_redirects' });
  });

  test('a body beyond the limit is cut', async () => {
    const port = await serve((_request, response) => response.end('x'.repeat(100_000)));
    const response = await createGuardedFetch({ allow: ['127.0.0.1'] })(`http://127.0.0.1:${port}/`, {
      maxBodyBytes: 10,
    });
    expect(response.body.byteLength).toBe(10);
    expect(response.truncated).toBe(true);
  });

  test('a silent server ends with the deadline, an abort at once', async () => {
    const port = await serve(() => undefined);
    const fetch = createGuardedFetch({ allow: ['127.0.0.1'], timeoutMs: 100 });
    await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toMatchObject({ reason: 'timeout' });
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(fetch(`http://127.0.0.1:${port}/`, { signal })).rejects.toThrow('gone');
  });

  test.each(['ftp://example.com/', 'file:///etc/passwd', 'http://user:pass@example.com/', 'nonsense', ''])(
    'refuses the address "%s"',
    async (address) => {
      await expect(createGuardedFetch({ allow: [] })(address)).rejects.toMatchObject({ reason: 'address_invalid' });
    },
  );
});

describe('the address policy', () => {
  const inner = [
    '10.1.2.3',
    '172.16.0.1',
    '192.168.1.1',
    '100.64.0.1',
    '198.18.0.1',
    '224.0.0.1',
    '255.255.255.255',
    'fc00::1',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '::ffff:10.0.0.1',
    '2001:db8::1',
    'ff02::1',
    // IANA's registries of special-purpose addresses.
    '0.1.2.3',
    '192.0.0.1',
    '192.0.0.170',
    '192.0.2.1',
    '192.31.196.1',
    '192.52.193.1',
    '192.88.99.1',
    '192.175.48.1',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '64:ff9b:1::808:808',
    '100::1',
    '100:0:0:1::1',
    '2001::1',
    '2001:1::1',
    '2001:2::1',
    '2001:3::1',
    '2001:4:112::1',
    '2001:10::1',
    '2001:20::1',
    '2001:30::1',
    '2620:4f:8000::1',
    '3fff::1',
    '5f00::1',
    'fec0::1',
    // IPv4-compatible, and not assigned.
    '::7f00:1',
    '::10.0.0.1',
    '::8.8.8.8',
    '::808:808',
    '::ffff:0:7f00:1',
    '1::1',
    '4000::1',
  ];
  test.each(inner)('%s is not public', (address) => {
    expect(() => createAddressPolicy([]).check('some.example', [address])).toThrow('may not be reached');
  });

  const never = [
    '169.254.169.254',
    '168.63.129.16',
    '100.100.100.200',
    'fe80::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    'fd00:c1::a9fe:a9fe',
    'fd00:42::42',
    '::ffff:169.254.169.254',
    '64:ff9b::a9fe:a9fe',
    '64:ff9b:1::a9fe:a9fe',
    '64:ff9b::a83f:8110',
    '::a9fe:a9fe',
    '2002:a9fe:a9fe::1',
  ];
  test.each(never)('%s stays closed whatever is allowed', (address) => {
    const policy = createAddressPolicy(['0.0.0.0/0', '::/0', 'some.example', address]);
    expect(() => policy.check('some.example', [address])).toThrow('may not be reached');
  });

  test('the host name of the metadata server is always refused', () => {
    const policy = createAddressPolicy(['metadata.google.internal']);
    expect(() => policy.check('Metadata.Google.Internal.', ['93.184.216.34'])).toThrow('may not be reached');
  });

  test('public addresses are open', () => {
    expect(() => createAddressPolicy([]).check('x', ['93.184.216.34', '2606:4700::1111'])).not.toThrow();
  });

  test.each(['10.0.0.0/99', 'http://x', 'a b', '/8'])('the entry "%s" is refused at start', (entry) => {
    expect(() => createAddressPolicy([entry])).toThrow(RangeError);
  });
});
