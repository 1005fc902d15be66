import { openRecording } from '../audio/open-recording.ts';
import { readAudio } from '../audio/read-audio.ts';
import type { Context } from '../context.ts';
import { notConfigured } from '../errors.ts';
import type { Handlers } from './handlers.ts';

/** Passes a recording on to the transcription server while it arrives, and returns the server's transcript. */
export function transcribe({ transcriber }: Context): Handlers['transcribe'] {
  return async (requests, { signal }) => {
    if (transcriber === undefined) throw notConfigured();
    const recording = await openRecording(readAudio(requests, transcriber.maxBytes));
    return { outcome: await transcriber.transcribe(recording, signal) };
  };
}
