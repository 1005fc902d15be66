import { PassThrough, type Readable } from 'node:stream';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { expect, test, vi } from 'vitest';
import { Pace } from '../pace.ts';
import { refuseUpload } from './refuse-upload.ts';

const hour = 3_600_000;

/** Refused uploads of clients that go on sending, as many as there are calls of `refuse`. */
function open() {
  const limits = { maxBytes: 1e9, maxMs: hour, pace: new Pace({ bytesPerSecond: 1e9, burstBytes: 1e9 }) };
  const options = { ...limits, open: new Set<() => void>(), body: { detail: 'no' } };
  const answered: string[] = [];
  const ended: number[] = [];
  const refuse = (number: number): PassThrough => {
    const upload = new PassThrough();
    const reply = {
      type: () => reply,
      header: () => reply,
      send: (answer: Readable) => {
        answer.on('data', (bytes: Buffer) => void answered.push(bytes.toString()));
        answer.on('end', () => void ended.push(number));
      },
    };
    refuseUpload({ raw: upload } as unknown as FastifyRequest, reply as unknown as FastifyReply, options);
    return upload;
  };
  return { refuse, answered, ended, options };
}

test('is answered at once, and is read to its end', async () => {
  const { refuse, answered, ended } = open();
  const upload = refuse(1);
  await expect.poll(() => answered).toEqual(['{"detail":"no"}']);
  expect(ended).toEqual([]);
  upload.end('the rest');
  await expect.poll(() => ended, { timeout: 30_000 }).toEqual([1]);
});

test('each refused upload of a crowd is answered, and the oldest ones are closed', async () => {
  const { refuse, answered, ended, options } = open();
  const uploads = Array.from({ length: 70 }, (_, number) => refuse(number));
  await vi.waitFor(() => expect([answered.length, ended.length]).toEqual([70, 6]), { timeout: 30_000 });
  expect(ended.toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5]);
  expect(options.open.size).toBe(64);
  for (const upload of uploads) upload.end();
  await vi.waitFor(() => expect(ended).toHaveLength(70), { timeout: 30_000 });
  expect(options.open.size).toBe(0);
});
