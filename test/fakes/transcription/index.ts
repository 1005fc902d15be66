export type { SpeechForm } from './speech-form.ts';
export { type FakeLocalSpeech, startFakeSpeaches, startFakeWhisperCpp } from './local-speech.ts';
export { type FakeOpenAiSpeech, startFakeOpenAiSpeech } from './openai-speech.ts';
