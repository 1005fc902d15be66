import { createSocket, type Socket } from 'node:dgram';
import { lookup } from 'node:dns/promises';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { resolveByDns } from './resolve-by-dns.ts';

/** A name server: `v4.example` has an IPv4 address, `half.example` answers only for IPv4, `none.example` has nothing; others hang. */
let server: Socket;
let options: { servers: string[]; timeoutMs: number };
/** Names that were asked for and get no answer. */
let hanging = 0;

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, client) => {
    const answer = answerTo(query);
    if (answer === undefined) hanging += 1;
    else server.send(answer, client.port, client.address);
  });
  server.bind(0, '127.0.0.1');
  await once(server, 'listening');
  options = { servers: [`127.0.0.1:${server.address().port}`], timeoutMs: 3_000 };
});
afterAll(() => server.close());

/** Answer of the server, as RFC 1035 writes it; undefined: none. */
function answerTo(query: Buffer): Buffer | undefined {
  const firstLabel = query.toString('latin1', 13, 13 + query.readUInt8(12));
  const isIpv4 = query.readUInt16BE(query.indexOf('\x07example\x00') + 9) === 1;
  if (firstLabel !== 'v4' && firstLabel !== 'none' && !(firstLabel === 'half' && isIpv4)) return undefined;
  const hasAddress = firstLabel !== 'none' && isIpv4;
  const answer = Buffer.from(query.subarray(0, query.indexOf('\x07example\x00') + 13));
  answer.writeUInt16BE(firstLabel === 'none' ? 0x8183 : 0x8180, 2);
  answer.writeUInt16BE(Number(hasAddress), 6);
  answer.writeUInt16BE(0, 10);
  if (!hasAddress) return answer;
  return Buffer.concat([answer, Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 192, 0, 2, 1])]);
}

test('a name has the addresses that the name server tells', async () => {
  expect(await resolveByDns('v4.example', options)).toEqual([{ address: '192.0.2.1', family: 4 }]);
  await expect(resolveByDns('none.example', options)).rejects.toMatchObject({ code: 'ENOTFOUND' });
});

test('an address of one family is not held up by a name server that says nothing about the other', async () => {
  expect(await resolveByDns('half.example', { ...options, timeoutMs: 5_000 })).toHaveLength(1);
});

test('names that hang keep no other look-up waiting, and end in time', async () => {
  const before = hanging;
  const stuck = Array.from({ length: 50 }, (_, index) => resolveByDns(`h${index}.example`, options));
  const ends = Promise.allSettled(stuck);
  await expect.poll(() => hanging - before).toBeGreaterThanOrEqual(100);
  let isOver = false;
  void ends.then(() => (isOver = true));
  expect(await lookup('localhost')).toBeDefined();
  expect(await resolveByDns('v4.example', options)).toHaveLength(1);
  expect(isOver).toBe(false);
  expect((await ends).every(({ status }) => status === 'rejected')).toBe(true);
});
