import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { MeshError } from '@agentmesh/lib/rpc';
import type { TranscribeRequest } from '@agentmesh/proto/transcription/v1';
import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { accountId, type Edge, type EdgeOptions, startEdge, token } from '../edge.ts';

const path = '/api/audio/transcribe';
const boundary = 'edge-of-the-form';
const multipart = { 'content-type': `multipart/form-data; boundary=${boundary}` };

let edge: Edge | undefined;

afterEach(async () => {
  await edge?.[Symbol.asyncDispose]();
  edge = undefined;
});

/** Data that the service received in one call. */
interface Heard {
  accountId: string;
  audio: Buffer;
  ended: boolean;
  signal: AbortSignal;
}

/** A gateway in front of a fake service that records its requests and answers with the length of the audio. */
async function startHearing(over: EdgeOptions['transcription'] = {}): Promise<{ edge: Edge; heard: Heard[] }> {
  const heard: Heard[] = [];
  const transcribe = async (requests: AsyncIterable<TranscribeRequest>, { signal }: { signal: AbortSignal }) => {
    const call: Heard = { accountId: '', audio: Buffer.alloc(0), ended: false, signal };
    heard.push(call);
    for await (const { kind } of requests) {
      if (kind.case === 'opening') call.accountId = kind.value.accountId;
      else if (kind.case === 'chunk') call.audio = Buffer.concat([call.audio, kind.value]);
      else call.ended = true;
    }
    const value = { text: `${call.audio.length} bytes`, durationMs: 12n };
    return { outcome: { case: 'transcript' as const, value } };
  };
  edge = await startEdge({ transcription: { transcribe, ...over } });
  return { edge, heard };
}

interface PartOptions {
  readonly name?: string;
  readonly filename?: string | null;
  readonly type?: string;
}

function part(content: Buffer | string, { name = 'file', filename = 'a.wav', type = 'audio/wav' }: PartOptions = {}) {
  const file = filename === null ? '' : `; filename="${filename}"\r\ncontent-type: ${type}`;
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), Buffer.from(content), Buffer.from('\r\n')]);
}

const formOf = (...parts: Buffer[]) => new Uint8Array(Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]));
const issue = (type: string) => ({ detail: [expect.objectContaining({ type, loc: ['body', 'file'] })] });

describe('an upload', () => {
  test('reaches the service unchanged, for the account of the token', async () => {
    const { edge, heard } = await startHearing();
    const audio = Buffer.from(Array.from({ length: 300_000 }, (_, index) => index % 256));
    const answer = await edge.send(path, { method: 'POST', headers: multipart, text: formOf(part(audio)) });
    expect(answer).toMatchObject({ status: 200, body: { text: '300000 bytes', duration_ms: 12 } });
    expect(heard).toMatchObject([{ accountId, ended: true }]);
    expect(heard[0]?.audio.equals(audio)).toBe(true);
  });

  test('may have other fields, an empty file name and any type beside it', async () => {
    const { edge, heard } = await startHearing();
    const fields = [part('en', { name: 'language', filename: null }), part('x', { name: 'other' })];
    const blob = part('audio', { filename: '', type: 'application/octet-stream' });
    const answer = await edge.send(path, {
      method: 'POST',
      headers: multipart,
      text: formOf(...fields, blob, ...fields),
    });
    expect(answer.status).toBe(200);
    expect(heard.map(({ audio }) => audio.toString())).toEqual(['audio']);
  });

  test('is the bytes of its part, however the form is cut into chunks', async () => {
    const { edge, heard } = await startHearing();
    const bytes = fc.oneof(fc.constant('\r\n--edge'), fc.constant('\r'), fc.constant('--'), fc.string());
    await fc.assert(
      fc.asyncProperty(fc.array(bytes), fc.integer({ min: 1, max: 90 }), async (pieces, size) => {
        const audio = Buffer.from(pieces.join(''));
        const form = Buffer.from(formOf(part(audio)));
        const sent = await open(edge, { 'content-length': String(form.length) });
        for (let at = 0; at < form.length; at += size) sent.write(form.subarray(at, at + size));
        sent.end();
        expect((await answerOf(sent)).status).toBe(200);
        expect(heard.at(-1)?.audio.equals(audio)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test.each([
    ['no part file', formOf(part('x', { name: 'audio' })), multipart, 'missing'],
    ['no part at all', formOf(), multipart, 'missing'],
    ['text in place of a file', formOf(part('x', { filename: null })), multipart, 'value_error'],
    ['two files', formOf(part('x'), part('y')), multipart, 'value_error'],
    ['JSON', '{"file":"x"}', { 'content-type': 'application/json' }, 'missing'],
    ['no content type', 'x', { 'content-type': null }, 'missing'],
    ['no boundary', formOf(part('x')), { 'content-type': 'multipart/form-data' }, undefined],
    ['another boundary', formOf(part('x')), { 'content-type': 'multipart/form-data; boundary=other' }, undefined],
    ['a form that breaks off', new Uint8Array(part('x')), multipart, undefined],
    ['nothing', '', multipart, undefined],
  ] as const)('with %s is refused', async (_, body, headers, type) => {
    const { edge, heard } = await startHearing();
    const answer = await edge.send(path, { method: 'POST', headers, text: body });
    expect(answer).toMatchObject(type === undefined ? { status: 400 } : { status: 422, body: issue(type) });
    expect(heard.every(({ ended }) => !ended)).toBe(true);
  });

  test('with a second file is refused at once, also when its data comes after its header', async () => {
    const { edge, heard } = await startHearing();
    // The parser holds the end of the header back until the next chunk: it could be the beginning of a boundary.
    const second = part(Buffer.alloc(1024 * 1024), { filename: 'b.wav' });
    const data = second.indexOf('\r\n\r\n') + 4;
    // With a length, no framing is between the pieces: one read has 64 KiB of data, as much as fills the buffer of a part.
    const sent = await open(edge, { 'content-length': '10000000' });
    sent.on('error', () => undefined).write(Buffer.concat([part('x'), second.subarray(0, data)]));
    await expect.poll(() => heard[0]?.audio.length).toBe(1);
    sent.write(second.subarray(data));
    const { status, body } = await answerOf(sent);
    expect({ status, body: JSON.parse(body) as unknown }).toEqual({
      status: 422,
      body: { ...issue('value_error'), code: 'request_invalid' },
    });
    sent.destroy();
  });

  test('that drips is refused after five minutes', async () => {
    const { edge, heard } = await startHearing();
    const sent = await open(edge, { 'transfer-encoding': 'chunked' });
    sent.on('error', () => undefined).write(part(Buffer.alloc(200_000)).subarray(0, 150_000));
    await expect.poll(() => heard[0]?.audio.length).toBeGreaterThan(100_000);
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 300_000);
    sent.write('a');
    const { status } = await answerOf(sent);
    later.mockRestore();
    expect(status).toBe(408);
    await expect.poll(() => heard[0]?.signal.aborted).toBe(true);
    sent.destroy();
  });

  test('over 26 MiB beside the file is refused while it arrives', async () => {
    const { edge } = await startHearing();
    const other = part(Buffer.alloc(28 * 1024 * 1024), { name: 'other' });
    expect(await edge.send(path, { method: 'POST', headers: multipart, text: formOf(other) })).toMatchObject({
      status: 413,
    });
  });

  test('without a token is refused before it is read', async () => {
    const { edge, heard } = await startHearing();
    const headers = { ...multipart, authorization: null };
    const answer = await edge.send(path, { method: 'POST', headers, text: formOf(part(Buffer.alloc(5_000_000))) });
    expect(answer.status).toBe(401);
    expect(heard).toEqual([]);
  });

  test('is passed on before it is complete, and its call is aborted when the client goes', async () => {
    const { edge, heard } = await startHearing();
    const sent = await open(edge, { 'content-length': '1000000' });
    sent.write(part(Buffer.alloc(200_000)).subarray(0, 150_000));
    await expect.poll(() => heard[0]?.audio.length).toBeGreaterThan(100_000);
    sent.on('error', () => undefined).destroy();
    await expect.poll(() => heard[0]?.signal.aborted).toBe(true);
    expect(heard[0]?.ended).toBe(false);
  });

  test('whose client goes while the answer is awaited has its call aborted', async () => {
    let aborted = false;
    let called = false;
    const transcribe = async (requests: AsyncIterable<TranscribeRequest>, { signal }: { signal: AbortSignal }) => {
      for await (const _ of requests);
      called = true;
      await once(signal, 'abort');
      aborted = true;
      throw signal.reason;
    };
    const { edge } = await startHearing({ transcribe });
    const form = Buffer.from(formOf(part('audio')));
    const sent = await open(edge, { 'content-length': String(form.length) });
    sent.on('error', () => undefined).end(form);
    await expect.poll(() => called).toBe(true);
    sent.destroy();
    await expect.poll(() => aborted).toBe(true);
  });
});

describe('the answer of the service', () => {
  const sendSpeech = (edge: Edge) =>
    edge.send(path, { method: 'POST', headers: multipart, text: formOf(part('audio')) });

  test.each([
    ['invalid_argument', 'audio_format_unsupported', 415],
    ['resource_exhausted', 'audio_too_large', 413],
    ['unavailable', 'transcription_not_configured', 503],
    ['unavailable', 'transcription_failed', 502],
    ['deadline_exceeded', 'transcription_timeout', 504],
  ] as const)('%s %s is %i', async (code, reason, status) => {
    const transcribe = () => Promise.reject(new MeshError(code, reason, 'Because.'));
    const { edge } = await startHearing({ transcribe });
    expect(await sendSpeech(edge)).toMatchObject({ status, body: { detail: 'Because.', code: reason } });
  });

  test('is 429 with Retry-After when the server is busy', async () => {
    const outcome = { case: 'busy' as const, value: { retryAfterSeconds: 7 } };
    const { edge } = await startHearing({ transcribe: async () => ({ outcome }) });
    const answer = await sendSpeech(edge);
    expect(answer).toMatchObject({ status: 429, body: { code: 'transcription_busy' } });
    expect(answer.headers.get('retry-after')).toBe('7');
  });
});

async function open(edge: Edge, headers: Record<string, string>): Promise<ClientRequest> {
  const authorization = `Bearer ${await token({})}`;
  return httpRequest(edge.url + path, { method: 'POST', headers: { authorization, ...multipart, ...headers } });
}

async function answerOf(sent: ClientRequest): Promise<{ status: number | undefined; body: string }> {
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return { status: answer.statusCode, body: await text(answer) };
}
