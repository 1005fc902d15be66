export { addTranscription } from './transcription.ts';
