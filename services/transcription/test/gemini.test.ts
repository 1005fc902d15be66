import { createHash } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type FakeGemini, startFakeGemini } from '../../../test/fakes/gemini/index.ts';
import { formats, openTranscription, sent, speech, type TestTranscription, wavOf } from './open-transcription.ts';

const resources = new AsyncDisposableStack();
let fake: FakeGemini;
let service: TestTranscription;

beforeAll(async () => {
  fake = resources.use(await startFakeGemini({ apiKey: 'gem-right' }));
  const settings = {
    TRANSCRIBE_PROVIDER: 'gemini',
    TRANSCRIBE_API_KEY: 'gem-right',
    TRANSCRIBE_BASE_URL: fake.baseUrl,
  };
  service = resources.use(await openTranscription(settings));
});
beforeEach(() => fake.forget());
afterAll(() => resources.disposeAsync());

const failure = (reason: string): unknown => expect.objectContaining({ reason });

interface Audio {
  readonly inlineData?: { readonly mimeType: string; readonly data: string };
}

/** The audio of the last request. */
function heard() {
  const parts = (fake.requests.at(-1)?.contents[0]?.parts ?? []) as readonly Audio[];
  const { mimeType = '', data = '' } = parts.find(({ inlineData }) => inlineData !== undefined)?.inlineData ?? {};
  return { mimeType, sha256: createHash('sha256').update(Buffer.from(data, 'base64')).digest('hex') };
}

describe('Gemini', () => {
  test('gets every format unchanged, for any chunks', async () => {
    for (const [index, format] of formats.entries()) {
      fake.answer({ parts: [{ text: 'Hello mesh.\n' }] });
      const audio = speech(format);
      const { outcome } = await service.client.transcribe(sent(audio, 1000 + index));
      expect(outcome.value).toMatchObject({ text: 'Hello mesh.', model: 'gemini-2.5-flash' });
      expect(heard().sha256).toBe(createHash('sha256').update(audio).digest('hex'));
      expect(heard().mimeType).toMatch(/^audio\//);
    }
  });

  test('gives an empty transcript for silence', async () => {
    fake.answer({ parts: [] });
    expect((await service.client.transcribe(sent(speech('wav')))).outcome.value).toMatchObject({ text: '' });
  });

  test('that blocks or cuts off gives no transcript', async () => {
    fake.answer({ blockReason: 'SAFETY' }, { parts: [{ text: 'Hel' }], finishReason: 'MAX_TOKENS' });
    for (let count = 0; count < 2; count += 1) {
      await expect(service.client.transcribe(sent(speech('wav')))).rejects.toEqual(failure('transcription_failed'));
    }
  });

  test('that is busy gives the time to retry', async () => {
    const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '17s' }];
    fake.answer({ error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED', details } });
    const { outcome } = await service.client.transcribe(sent(speech('wav')));
    expect(outcome).toMatchObject({ case: 'busy', value: { retryAfterSeconds: 17 } });
  });

  test('takes about 15 MB, and what is more is refused while it arrives', async () => {
    fake.answer({ parts: [{ text: 'long' }] });
    const most = ((20_000_000 - 2048) / 4) * 3;
    expect((await service.client.transcribe(sent(wavOf(most)))).outcome.case).toBe('transcript');
    const call = service.client.transcribe(sent(wavOf(most + 1)));
    await expect(call).rejects.toEqual(failure('audio_too_large'));
  });
});
