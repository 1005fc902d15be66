import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { startFakeOpenAiSpeech } from '../../../test/fakes/transcription/index.ts';
import { openTranscription, sent, speech } from './open-transcription.ts';

/** Speech that espeak-ng has just made; the recorded one where it is not installed. */
function freshSpeech(): Buffer {
  const { status, stdout } = spawnSync('espeak-ng', ['-v', 'en', '--stdout', 'the mesh hears what was said']);
  return status === 0 ? stdout : speech('wav');
}

test('real speech is transcribed correctly', async () => {
  const audio = freshSpeech();
  await using fake = await startFakeOpenAiSpeech({ apiKey: 'sk-right' });
  const settings = { TRANSCRIBE_BASE_URL: fake.baseUrl, TRANSCRIBE_API_KEY: 'sk-right' };
  await using service = await openTranscription(settings);
  const { outcome } = await service.client.transcribe(sent(audio));
  expect(outcome.case).toBe('transcript');
  const sha256 = createHash('sha256').update(audio).digest('hex');
  expect(fake.requests).toMatchObject([{ sha256, filename: 'audio.wav', contentType: 'audio/wav' }]);
});
