export { transcription } from './service.ts';
