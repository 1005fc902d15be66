import { createHash, randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, inject, test } from 'vitest';
import { artifactCaller, place } from '../../artifact-caller.ts';
import { type Caller, newAccount } from '../../caller.ts';

let caller: Caller;
let artifacts: ReturnType<typeof artifactCaller>;
beforeAll(async () => {
  caller = await newAccount(inject('meshUrl'));
  artifacts = artifactCaller(caller);
});

describe('raw bytes', () => {
  test('are uploaded by PUT and downloaded by alt=media, whole, in part, or not when unchanged', async () => {
    const at = place();
    const bytes = randomBytes(1_000_003);
    const upload = await artifacts.send('PUT', `${at}/dir/a%20%22b%22.png`, bytes, { 'content-type': 'image/png' });
    expect(upload).toMatchObject({ status: 200, body: { version: 0, mimeType: 'image/png' } });
    const path = `${at}/dir/a%20%22b%22.png`;
    const whole = await artifacts.media(path);
    expect(Buffer.from(await whole.arrayBuffer()).equals(bytes)).toBe(true);
    const etag = `"${createHash('sha256').update(bytes).digest('hex')}"`;
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': 'image/png',
      'content-length': '1000003',
      'content-disposition': String.raw`inline; filename="a \"b\".png"`,
      'x-content-type-options': 'nosniff',
      'accept-ranges': 'bytes',
      etag,
    });
    for (const [range, contentRange, from, to] of [
      ['bytes=0-9', 'bytes 0-9/1000003', 0, 10],
      ['bytes=700000-', 'bytes 700000-1000002/1000003', 700_000, 1_000_003],
      ['bytes=-5', 'bytes 999998-1000002/1000003', 999_998, 1_000_003],
    ] as const) {
      const part = await artifacts.media(path, { range });
      expect([part.status, part.headers.get('content-range')]).toEqual([206, contentRange]);
      expect(Buffer.from(await part.arrayBuffer()).equals(bytes.subarray(from, to))).toBe(true);
    }
    const beyond = await artifacts.media(path, { range: 'bytes=1000003-' });
    expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, 'bytes */1000003']);
    expect((await artifacts.media(path, { 'if-none-match': `"x", W/${etag}` })).status).toBe(304);
    expect((await artifacts.media(path, { 'if-none-match': '"x"' })).status).toBe(200);
    expect((await artifacts.media(path, { range: 'bytes=0-9', 'if-range': etag })).status).toBe(206);
    expect((await artifacts.media(path, { range: 'bytes=0-9', 'if-range': '"x"' })).status).toBe(200);
    expect((await artifacts.media(`${path}/versions/0`, { range: 'bytes=0-0' })).status).toBe(206);
    expect((await artifacts.media(`${path}?version=1`)).status).toBe(404);
  });

  test.each([
    ['text/html', 'attachment'],
    ['image/svg+xml', 'attachment'],
    ['application/javascript', 'attachment'],
    ['text/plain; charset=utf-8', 'inline'],
    ['IMAGE/PNG', 'inline'],
  ])('%s is offered as %s', async (type, kind) => {
    const at = place();
    await artifacts.send('PUT', `${at}/x`, 'x', { 'content-type': type });
    const { headers } = await artifacts.media(`${at}/x`);
    expect(headers.get('content-type')).toBe(type);
    expect(headers.get('content-disposition')).toMatch(new RegExp(`^${kind};`));
    expect(headers.get('content-security-policy')).toContain('sandbox');
  });

  test('are no script, style, worker, frame or object of a page', async () => {
    const at = place();
    await artifacts.send('PUT', `${at}/x.js`, 'alert(1)', { 'content-type': 'text/javascript' });
    const statusFor = async (use: string) => (await artifacts.media(`${at}/x.js`, { 'sec-fetch-dest': use })).status;
    for (const use of ['script', 'style', 'worker', 'sharedworker', 'serviceworker', 'iframe', 'object', 'embed']) {
      expect([use, await statusFor(use)]).toEqual([use, 403]);
    }
    for (const use of ['empty', 'document', 'image', 'audio', 'video', 'track']) {
      expect([use, await statusFor(use)]).toEqual([use, 200]);
    }
  });

  test('a media type that is not a valid header is sent as application/octet-stream', async () => {
    const at = place();
    await artifacts.save(at, 'x', { inlineData: { data: 'AQID', mimeType: 'a/b\r\nset-cookie: x' } });
    const { headers, status } = await artifacts.media(`${at}/x`);
    expect([status, headers.get('content-type'), headers.get('set-cookie')]).toEqual([
      200,
      'application/octet-stream',
      null,
    ]);
    await artifacts.send('PUT', `${at}/y`, randomBytes(9), { 'content-type': 'binary' });
    expect((await artifacts.media(`${at}/y`)).headers.get('content-type')).toBe('application/octet-stream');
  });

  test('uploads and downloads without a token are refused', async () => {
    const at = place();
    const anonymous = { authorization: 'Bearer nobody' };
    expect((await artifacts.send('PUT', `${at}/x`, randomBytes(2_000_000), anonymous)).status).toBe(401);
    expect((await artifacts.send('POST', at, '{', { ...anonymous, 'content-type': 'application/json' })).status).toBe(
      401,
    );
    expect((await artifacts.media(`${at}/x`, anonymous)).status).toBe(401);
  });
});
