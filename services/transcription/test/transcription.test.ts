import { createHash } from 'node:crypto';
import { inspect } from 'node:util';
import { parseSettings } from '@agentmesh/lib/service';
import { createLogger } from '@agentmesh/lib/telemetry';
import { afterEach, describe, expect, test } from 'vitest';
import { type FakeOpenAiSpeech, startFakeOpenAiSpeech } from '../../../test/fakes/transcription/index.ts';
import { openRecording } from '../src/audio/open-recording.ts';
import { settings } from '../src/config.ts';
import { createTranscriber } from '../src/upstream/create-transcriber.ts';
import {
  chunk,
  end,
  formats,
  opening,
  openTranscription,
  type Request,
  sent,
  speech,
  wavOf,
} from './open-transcription.ts';

let resources = new AsyncDisposableStack();

afterEach(async () => {
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
});

const apiKey = 'sk-right';

async function withOpenAi(env: Record<string, string> = {}, options: { said?: string } = {}) {
  const fake: FakeOpenAiSpeech = resources.use(await startFakeOpenAiSpeech({ apiKey, ...options }));
  const settings = { TRANSCRIBE_BASE_URL: fake.baseUrl, TRANSCRIBE_API_KEY: apiKey, ...env };
  return { fake, client: resources.use(await openTranscription(settings)).client };
}

const hashOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const failure = (reason: string): unknown => expect.objectContaining({ reason });

async function* endless(): AsyncGenerator<Request> {
  yield opening();
  yield chunk(wavOf(64 * 1024));
  for (;;) yield chunk(Buffer.alloc(64 * 1024));
}

/** A recording whose caller stops sending before its end. */
async function* unended(): AsyncGenerator<Request> {
  yield opening();
  yield chunk(wavOf(200_000));
  await new Promise(() => undefined);
}

async function* bytesOf(audio: Buffer): AsyncGenerator<Uint8Array, void, void> {
  yield audio;
}

describe('a recording', () => {
  test('reaches the server unchanged, named by what its first bytes show', async () => {
    const { fake, client } = await withOpenAi();
    for (const format of formats) {
      const audio = speech(format);
      const { outcome } = await client.transcribe(sent(audio, 997));
      expect(outcome).toMatchObject({ case: 'transcript', value: { text: 'Hello mesh.' } });
      // OpenAI knows no extension aac.
      const extension = format === 'aac' ? 'm4a' : format;
      expect(fake.requests.at(-1)).toMatchObject({ filename: `audio.${extension}`, sha256: hashOf(audio) });
    }
  });

  test('has language, duration and model told where the server tells them', async () => {
    const { client } = await withOpenAi();
    const { outcome } = await client.transcribe(sent(speech('wav')));
    const value = { text: 'Hello mesh.', language: 'english', durationMs: 900n, model: 'whisper-1' };
    expect(outcome).toMatchObject({ case: 'transcript', value });
    const newer = await withOpenAi({ TRANSCRIBE_MODEL: 'gpt-4o-mini-transcribe' });
    const short = await newer.client.transcribe(sent(speech('webm')));
    expect(short.outcome.value).toMatchObject({ text: 'Hello mesh.', model: 'gpt-4o-mini-transcribe' });
    expect(short.outcome.value).not.toMatchObject({ language: expect.anything() });
  });

  test('of silence is an empty text', async () => {
    const { client } = await withOpenAi({}, { said: '' });
    expect((await client.transcribe(sent(speech('wav')))).outcome.value).toMatchObject({ text: '' });
  });

  test('flows on while it arrives, and the server is asked only once it begins', async () => {
    const { fake, client } = await withOpenAi();
    const rest = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<Request> {
      yield opening();
      yield chunk(wavOf(1_000_000));
      await rest.promise;
      yield chunk(Buffer.alloc(1_000_000));
      yield end;
    }
    const call = client.transcribe(slow());
    await expect.poll(() => fake.uploads[0]?.bytes).toBeGreaterThan(900_000);
    expect(fake.uploads[0]?.state).toBe('arriving');
    rest.resolve();
    expect((await call).outcome.case).toBe('transcript');
    expect(fake.requests[0]?.bytes).toBe(2_000_000);
  });

  test('is read no faster than the server takes it', async () => {
    const { fake, client } = await withOpenAi();
    fake.behave('stall');
    const leaving = new AbortController();
    let yielded = 0;
    async function* counted(): AsyncGenerator<Request> {
      for await (const message of endless()) {
        yielded += 1;
        yield message;
      }
    }
    const call = client.transcribe(counted(), { signal: leaving.signal });
    call.catch(() => undefined);
    let before = -1;
    await expect
      .poll(
        () => {
          const still = yielded === before && yielded > 0;
          before = yielded;
          return still;
        },
        { interval: 300 },
      )
      .toBe(true);
    expect(yielded * 64).toBeLessThan(20_000);
    leaving.abort();
    await expect(call).rejects.toThrow();
  });

  test.each([
    ['is empty', 'audio_empty', Buffer.alloc(0)],
    ['is no audio', 'audio_format_unsupported', Buffer.from('<html>'.repeat(2000))],
    ['is text of a few bytes', 'audio_format_unsupported', Buffer.from('x')],
  ])('that %s is refused without asking the server', async (_, reason, audio) => {
    const { fake, client } = await withOpenAi();
    await expect(client.transcribe(sent(audio))).rejects.toEqual(failure(reason));
    expect(fake.uploads).toEqual([]);
  });

  test.each([
    ['webm', '1a45dfa3'],
    ['ogg', '4f676753'],
    ['mp3', '494433'],
    ['flac', '664c6143'],
  ])('that only begins as %s is left to the server to judge', async (extension, beginning) => {
    const { fake, client } = await withOpenAi();
    const audio = Buffer.concat([Buffer.from(beginning, 'hex'), Buffer.alloc(2000, 'made up')]);
    expect((await client.transcribe(sent(audio))).outcome.case).toBe('transcript');
    expect(fake.requests.at(-1)).toMatchObject({ filename: `audio.${extension}` });
  });

  test('may fill the 25 MiB of the server up to its envelope, and not one byte more', async () => {
    const { fake, client } = await withOpenAi();
    const most = 25 * 1024 * 1024 - 1024;
    expect((await client.transcribe(sent(wavOf(most)))).outcome.case).toBe('transcript');
    await expect(client.transcribe(sent(wavOf(most + 1)))).rejects.toEqual(failure('audio_too_large'));
    await expect.poll(() => fake.uploads[1]?.state).toBe('broken');
  });

  test('without end is refused as soon as it is too large', async () => {
    const { fake, client } = await withOpenAi();
    await expect(client.transcribe(endless())).rejects.toEqual(failure('audio_too_large'));
    expect(fake.requests).toEqual([]);
  });

  test('whose end does not come is not transcribed', async () => {
    const { fake, client } = await withOpenAi();
    async function* cut(): AsyncGenerator<Request> {
      yield opening();
      yield chunk(speech('wav'));
    }
    await expect(client.transcribe(cut())).rejects.toEqual(failure('request_invalid'));
    await expect.poll(() => fake.uploads.every(({ state }) => state === 'broken')).toBe(true);
    expect(fake.requests).toEqual([]);
  });
});

describe('the call of the server', () => {
  test('is aborted when the caller leaves, while the recording arrives and while the answer is awaited', async () => {
    const { fake, client } = await withOpenAi();
    const whole = () => sent(speech('wav'));
    fake.behave('hang', 'hang');
    for (const [requests, state] of [
      [unended, 'arriving'],
      [whole, 'complete'],
    ] as const) {
      const leaving = new AbortController();
      const call = client.transcribe(requests(), { signal: leaving.signal });
      await expect.poll(() => fake.uploads.at(-1)?.state).toBe(state);
      leaving.abort();
      await expect(call).rejects.toThrow();
      await expect.poll(() => fake.uploads.at(-1)?.state).toBe('broken');
    }
  });

  test('is given up when the server is silent, and not when the caller is', async () => {
    const { fake, client } = await withOpenAi({ TRANSCRIBE_TIMEOUT_SECONDS: '1' });
    fake.behave('hang', 'stall');
    await expect(client.transcribe(sent(speech('wav')))).rejects.toEqual(failure('transcription_timeout'));
    await expect(client.transcribe(sent(wavOf(20_000_000)))).rejects.toEqual(failure('transcription_timeout'));
    // The server has five seconds for its answer, also on a busy machine, and the caller is silent for longer.
    const patient = await withOpenAi({ TRANSCRIBE_TIMEOUT_SECONDS: '5' });
    async function* slow(): AsyncGenerator<Request> {
      const [first, ...others] = await Array.fromAsync(sent(speech('wav'), 5_000));
      yield first ?? end;
      for (const message of others) {
        yield message;
        if (message === others[2]) await new Promise((resolve) => setTimeout(resolve, 5_500));
      }
    }
    expect((await patient.client.transcribe(slow())).outcome.case).toBe('transcript');
  });

  test('is given up when the answer drips, also an answer that comes before the recording has ended', async () => {
    const { fake, client } = await withOpenAi({ TRANSCRIBE_TIMEOUT_SECONDS: '1' });
    fake.behave('drip', { drip: 400 });
    for (const requests of [sent(speech('wav')), unended()]) {
      await expect(client.transcribe(requests)).rejects.toEqual(failure('transcription_timeout'));
    }
  });

  test('that is answered with 2xx before the recording has ended is a failure of the server; early errors are used', async () => {
    const { fake, client } = await withOpenAi();
    const early = { contentType: 'application/json', body: '{"text":"Too early."}' };
    fake.behave({ early });
    await expect(client.transcribe(unended())).rejects.toEqual(failure('transcription_failed'));
    fake.behave({ early: { ...early, status: 429, headers: { 'retry-after': '7' } } });
    const { outcome } = await client.transcribe(unended());
    expect(outcome).toMatchObject({ case: 'busy', value: { retryAfterSeconds: 7 } });
  });

  test('leaves no part of the key in the log or in the error when the server quotes the key', async () => {
    const lines: string[] = [];
    const log = createLogger({ level: 'debug', name: 'test', destination: { write: (line) => void lines.push(line) } });
    const key = 'sk-a-key-that-would-be-cut';
    const fake = resources.use(await startFakeOpenAiSpeech({ apiKey }));
    const config = parseSettings(settings, { TRANSCRIBE_BASE_URL: fake.baseUrl, TRANSCRIBE_API_KEY: key });
    const body = JSON.stringify({ error: { message: `${'x'.repeat(290)}${key}` } });
    fake.behave({ status: 401, contentType: 'application/json', body });
    const recording = await openRecording(bytesOf(speech('wav')));
    const call = createTranscriber(config, { log, resources })?.transcribe(recording, new AbortController().signal);
    const error: unknown = await call?.catch((thrown: unknown) => thrown);
    for (const text of [lines.join(''), inspect(error)]) {
      expect(text).toContain('xxx***');
      expect(text).not.toContain('sk-a');
    }
  });

  test('that is refused, breaks off or cannot be read is a failure of the server', async () => {
    const { fake, client } = await withOpenAi();
    const html = { contentType: 'text/html', body: '<h1>Bad gateway</h1>' };
    const notText = { contentType: 'application/json', body: '{"text":null}' };
    const elsewhere = { status: 302, contentType: 'text/plain', body: '', headers: { location: fake.baseUrl } };
    const early = { early: { status: 401, contentType: 'application/json', body: '{"error":{"message":"no"}}' } };
    for (const behaviour of [html, { ...html, status: 500 }, notText, elsewhere, early, 'break'] as const) {
      fake.behave(behaviour);
      await expect(client.transcribe(sent(wavOf(3_000_000)))).rejects.toEqual(failure('transcription_failed'));
    }
    const away = resources.use(await openTranscription({ TRANSCRIBE_BASE_URL: 'http://127.0.0.1:1/v1' }));
    await expect(away.client.transcribe(sent(speech('wav')))).rejects.toEqual(failure('transcription_failed'));
  });

  test('that is answered with 429 gives the time to retry, in every format of the servers', async () => {
    const { fake, client } = await withOpenAi();
    const limited = { status: 429, contentType: 'application/json', body: '{}' };
    const info = { error: { details: [{ '@type': 'RetryInfo', retryDelay: '2.5s' }] } };
    const cases = [
      [{ ...limited, headers: { 'retry-after': '7' } }, 7],
      [{ ...limited, headers: { 'retry-after-ms': '1200', 'retry-after': '9' } }, 2],
      [{ ...limited, headers: { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() } }, 3_600],
      [{ ...limited, body: JSON.stringify(info) }, 3],
      [limited, undefined],
    ] as const;
    for (const [answer, seconds] of cases) {
      fake.behave(answer);
      const { outcome } = await client.transcribe(sent(speech('wav')));
      const retryAfterSeconds = outcome.case === 'busy' ? outcome.value.retryAfterSeconds : -1;
      // Some of the hour passes until the answer is read.
      const off = Math.abs((retryAfterSeconds ?? 0) - (seconds ?? 0));
      expect(off).toBeLessThanOrEqual(seconds === 3_600 ? 60 : 1);
      expect(retryAfterSeconds === undefined).toBe(seconds === undefined);
    }
  });

  test('is not made where nothing is configured', async () => {
    for (const env of [{}, { TRANSCRIBE_PROVIDER: 'whisper_cpp', TRANSCRIBE_API_KEY: 'k' }]) {
      const { client } = resources.use(await openTranscription(env));
      await expect(client.transcribe(sent(speech('wav')))).rejects.toEqual(failure('transcription_not_configured'));
    }
  });
});
