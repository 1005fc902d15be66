import { afterEach, describe, expect, test } from 'vitest';
import {
  type FakeLocalSpeech,
  startFakeSpeaches,
  startFakeWhisperCpp,
} from '../../../test/fakes/transcription/index.ts';
import { openTranscription, sent, speech } from './open-transcription.ts';

let resources = new AsyncDisposableStack();

afterEach(async () => {
  await resources.disposeAsync();
  resources = new AsyncDisposableStack();
});

async function withLocal(fake: FakeLocalSpeech, env: Record<string, string>) {
  resources.use(fake);
  return resources.use(await openTranscription({ TRANSCRIBE_BASE_URL: fake.baseUrl, ...env })).client;
}

describe('a local server', () => {
  test('of speaches is understood, answers and errors', async () => {
    const fake = await startFakeSpeaches();
    const client = await withLocal(fake, { TRANSCRIBE_MODEL: 'Systran/faster-whisper-small' });
    const { outcome } = await client.transcribe(sent(speech('webm')));
    expect(outcome.value).toMatchObject({ text: 'Hello mesh.', language: 'en', durationMs: 900n });
    await expect(client.transcribe(sent(speech('aac')))).rejects.toMatchObject({
      reason: 'transcription_failed',
      message: 'The transcription server refused the recording.',
    });
    const other = await withLocal(await startFakeSpeaches(), { TRANSCRIBE_MODEL: 'not-there' });
    await expect(other.transcribe(sent(speech('wav')))).rejects.toMatchObject({ reason: 'transcription_failed' });
  });

  test.each(['1e999', '1e300', '-1', '"3"'])('of a duration %s gives a transcript without one', async (duration) => {
    const fake = await startFakeWhisperCpp();
    const client = await withLocal(fake, { TRANSCRIBE_PROVIDER: 'whisper_cpp' });
    fake.behave({ contentType: 'application/json', body: `{"text":"Hello mesh.","duration":${duration}}` });
    const { outcome } = await client.transcribe(sent(speech('wav')));
    expect(outcome).toMatchObject({ case: 'transcript', value: { text: 'Hello mesh.' } });
    expect(outcome.value).not.toHaveProperty('durationMs', expect.anything());
  });

  test.each([
    ['at its own path', {}],
    ["at OpenAI's path", { isOpenAiShaped: true }],
  ])('of whisper.cpp %s is understood, and its errors of status 200 too', async (_, options) => {
    const fake = await startFakeWhisperCpp(options);
    const client = await withLocal(fake, { TRANSCRIBE_PROVIDER: 'whisper_cpp' });
    const { outcome } = await client.transcribe(sent(speech('wav')));
    expect(outcome.value).toMatchObject({ text: 'Hello mesh.', durationMs: 900n });
    expect(fake.requests[0]?.fields).toEqual({ response_format: 'verbose_json' });
    await expect(client.transcribe(sent(speech('webm')))).rejects.toMatchObject({ reason: 'transcription_failed' });
  });

  test('of whisper.cpp calls silence blank audio, which is an empty text', async () => {
    const client = await withLocal(await startFakeWhisperCpp({ said: '[BLANK_AUDIO]' }), {
      TRANSCRIBE_PROVIDER: 'whisper_cpp',
    });
    expect((await client.transcribe(sent(speech('wav')))).outcome.value).toMatchObject({ text: '' });
  });
});
