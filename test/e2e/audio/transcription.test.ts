import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Caller, newAccount } from '../../caller.ts';
import { type FakeOpenAiSpeech, startFakeOpenAiSpeech } from '../../fakes/transcription/index.ts';
import { startMesh, type TestMesh } from '../../mesh.ts';

const speech = readFileSync(new URL('../../../services/transcription/test/speech/hello.webm', import.meta.url));
const apiKey = 'sk-of-the-operator';
const resources = new AsyncDisposableStack();
let fake: FakeOpenAiSpeech;
let mesh: TestMesh;
let caller: Caller;

beforeAll(async () => {
  fake = resources.use(await startFakeOpenAiSpeech({ apiKey }));
  const { url: databaseUrl } = resources.use(await testDatabaseUrl());
  const env = { TRANSCRIBE_BASE_URL: fake.baseUrl, TRANSCRIBE_API_KEY: apiKey };
  mesh = resources.use(await startMesh({ mode: inject('mode'), databaseUrl, env }));
  caller = await newAccount(mesh.url);
});
afterAll(() => resources.disposeAsync());

async function dictate(audio: Uint8Array<ArrayBuffer>, type = 'audio/webm;codecs=opus', token = caller.token) {
  const form = new FormData();
  form.append('file', new Blob([audio], { type }), 'speech.webm');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const answer = await fetch(`${mesh.url}/api/audio/transcribe`, { method: 'POST', headers, body: form });
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as Record<string, unknown> };
}

describe('dictation', () => {
  test('answers what was said, and the server has heard the very bytes', async () => {
    const answer = await dictate(new Uint8Array(speech));
    const body = { text: 'Hello mesh.', language: 'english', duration_ms: 900, model: 'whisper-1' };
    expect(answer).toMatchObject({ status: 200, body });
    const sha256 = createHash('sha256').update(speech).digest('hex');
    expect(fake.requests.at(-1)).toMatchObject({ sha256, filename: 'audio.webm' });
  });

  test('is refused without a token, and by a token for other things', async () => {
    const made = await caller.request<{ token: string }>('POST', '/api/auth/tokens', {
      name: 'other',
      scopes: ['sessions:read'],
    });
    const before = fake.uploads.length;
    expect((await dictate(new Uint8Array(speech), undefined, '')).status).toBe(401);
    expect((await dictate(new Uint8Array(speech), undefined, made.body.token)).status).toBe(403);
    expect(fake.uploads).toHaveLength(before);
  });

  test('refuses what is no recording, and what is too large', async () => {
    expect(await dictate(new Uint8Array())).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['body', 'file'] }], code: 'audio_empty' },
    });
    const html = new TextEncoder().encode('<html>'.repeat(1000));
    expect(await dictate(html)).toMatchObject({ status: 415, body: { detail: expect.stringContaining('webm, ogg') } });
    const large = new Uint8Array(25 * 1024 * 1024);
    large.set(speech);
    expect(await dictate(large)).toMatchObject({ status: 413, body: { code: 'audio_too_large' } });
  });

  test('passes on that the server is busy', async () => {
    fake.behave({ status: 429, contentType: 'application/json', body: '{}', headers: { 'retry-after': '11' } });
    const answer = await dictate(new Uint8Array(speech));
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('11');
  });

  test('aborts the call of the server when the client goes', async () => {
    fake.behave('hang');
    const leaving = new AbortController();
    const form = new FormData();
    form.append('file', new Blob([new Uint8Array(speech)]), 'a');
    const call = fetch(`${mesh.url}/api/audio/transcribe`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.token}` },
      body: form,
      signal: leaving.signal,
    });
    call.catch(() => undefined);
    await expect.poll(() => fake.uploads.at(-1)?.state).toBe('complete');
    leaving.abort();
    await expect.poll(() => fake.uploads.at(-1)?.state).toBe('broken');
  });

  test('writes neither the key nor anything of the recording to the log', async () => {
    fake.behave({
      status: 401,
      contentType: 'application/json',
      body: JSON.stringify({ error: { message: `Incorrect API key provided: ${apiKey}.` } }),
    });
    expect((await dictate(new Uint8Array(speech))).status).toBe(502);
    // The line comes through a pipe, after the answer or before it.
    await expect.poll(() => mesh.lines.join('\n')).toContain('the transcription server gave no transcript');
    const log = mesh.lines.join('\n');
    expect(log).not.toContain(apiKey);
    expect(log).not.toContain('Hello mesh');
  });
});
