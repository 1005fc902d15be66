import { createHash } from 'node:crypto';
import OpenAI, { toFile } from 'openai';
import { describe, expect, test } from 'vitest';
import { startFakeOpenAiSpeech, startFakeSpeaches, startFakeWhisperCpp } from './index.ts';

const audio = Buffer.from('RIFF and so on');
const sha256 = createHash('sha256').update(audio).digest('hex');
const recording = (name = 'audio.wav') => toFile(audio, name, { type: 'audio/wav' });

function clientOf(baseURL: string, apiKey = 'sk-right'): OpenAI {
  return new OpenAI({ apiKey, baseURL, maxRetries: 0 });
}

describe("the vendor's official client", () => {
  test('works with the fake of OpenAI', async () => {
    await using fake = await startFakeOpenAiSpeech({ apiKey: 'sk-right' });
    const { transcriptions } = clientOf(fake.baseUrl).audio;
    const short = await transcriptions.create({ file: await recording(), model: 'gpt-4o-mini-transcribe' });
    expect(short).toMatchObject({ text: 'Hello mesh.', usage: { type: 'tokens' } });
    const long = await transcriptions.create({
      file: await recording(),
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    });
    expect(long).toMatchObject({ text: 'Hello mesh.', language: 'english', duration: 0.9 });
    const text = await transcriptions.create({ file: await recording(), model: 'whisper-1', response_format: 'text' });
    expect(text).toBe('Hello mesh.\n');
    expect(fake.requests.map((request) => request.sha256)).toEqual([sha256, sha256, sha256]);
    expect(fake.requests[0]).toMatchObject({ filename: 'audio.wav', contentType: 'audio/wav', bytes: audio.length });
  });

  test.each([
    ['a wrong key', 401, { apiKey: 'sk-wrong' }],
    ['a model that does not exist', 404, { model: 'whisper-9' }],
    ['an extension that is not supported', 400, { name: 'audio.aac' }],
    ['a format that the model does not know', 400, { model: 'gpt-4o-transcribe', format: 'verbose_json' }],
    ['an unknown field', 400, { colour: 'red' }],
  ])('is refused by the fake of OpenAI for %s', async (_, status, wrong: Record<string, string>) => {
    await using fake = await startFakeOpenAiSpeech({ apiKey: 'sk-right' });
    const { apiKey = 'sk-right', model = 'whisper-1', name, format, ...others } = wrong;
    const asked = clientOf(fake.baseUrl, apiKey).audio.transcriptions.create({
      file: await recording(name),
      model,
      ...(format !== undefined && { response_format: format as 'verbose_json' }),
      ...others,
    });
    await expect(asked).rejects.toMatchObject({ status });
    expect(fake.requests).toEqual([]);
  });

  test('works with the fakes of local servers and reads their own error formats', async () => {
    await using speaches = await startFakeSpeaches({ apiKey: 'local' });
    const { transcriptions } = clientOf(speaches.baseUrl, 'local').audio;
    const model = 'Systran/faster-whisper-small';
    expect(await transcriptions.create({ file: await recording(), model })).toEqual({ text: ' Hello mesh.' });
    const missing = transcriptions.create({ file: await recording(), model: 'whisper-1' });
    await expect(missing).rejects.toMatchObject({ status: 404 });
    await using whisper = await startFakeWhisperCpp({ isOpenAiShaped: true });
    const heard = clientOf(whisper.baseUrl).audio.transcriptions;
    expect(await heard.create({ file: await recording(), model: '-' })).toEqual({ text: ' Hello mesh.\n' });
    const other = await toFile(audio, 'audio.webm', { type: 'audio/webm' });
    expect(await heard.create({ file: other, model: '-' })).toEqual({ error: 'failed to read WAV file' });
  });
});
