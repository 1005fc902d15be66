import { Type } from 'typebox';

/** Form of an upload, for the documentation only: the handler reads it as it arrives. */
export const SpeechUpload = {
  content: {
    'multipart/form-data': {
      schema: Type.Object(
        { file: Type.String({ format: 'binary', description: 'webm, ogg, mp4, m4a, wav, flac, mp3 or aac.' }) },
        { title: 'SpeechUpload' },
      ),
    },
  },
};

export const Transcript = Type.Object(
  {
    text: Type.String({ description: 'What was said; empty for silence.' }),
    language: Type.Optional(Type.String({ description: 'As the transcription server names it.' })),
    duration_ms: Type.Optional(Type.Integer({ description: 'Length of the recording.' })),
    model: Type.Optional(Type.String()),
  },
  { title: 'Transcript' },
);
