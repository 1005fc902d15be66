import type { IncomingMessage } from 'node:http';
import { demand, Refusal } from '../demand.ts';
import { type FakeBody, json } from '../scripted-server.ts';
import { type AudioServer, startAudioServer } from './audio-server.ts';
import { readSpeechForm, type SpeechForm } from './speech-form.ts';

export interface FakeLocalSpeech extends AudioServer<SpeechForm> {
  /** Value for `TRANSCRIBE_BASE_URL`. */
  readonly baseUrl: string;
}

const speachesModel = 'Systran/faster-whisper-small';

/**
 * A fake of speaches (formerly faster-whisper-server). Requests have OpenAI's format. Errors are `{"detail"}`: 403 for a wrong
 * key, 404 for a model that is not installed, 415 for audio that it cannot decode.
 */
export async function startFakeSpeaches({ apiKey }: { readonly apiKey?: string } = {}): Promise<FakeLocalSpeech> {
  const read = async (request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<SpeechForm> => {
    demand(request.method === 'POST' && request.url === '/v1/audio/transcriptions', 'Not Found', 404);
    demand(apiKey === undefined || request.headers.authorization === `Bearer ${apiKey}`, 'Not authenticated', 403);
    const form = await readSpeechForm(request, body);
    const { model } = form.fields;
    demand(model !== undefined, 'Field required', 422);
    const missing = `Model '${model}' is not installed locally. You can download the model using \`POST /v1/models\``;
    demand(model === speachesModel, missing, 404);
    demand(form.bytes > 0, 'The uploaded file is empty.', 400);
    demand(form.contentType !== 'audio/aac', 'Failed to decode audio. The provided file type is not supported.', 415);
    return form;
  };
  const server = await startAudioServer<SpeechForm>({
    judge: judgeBy(
      read,
      ({ fields }) => {
        const text = ' Hello mesh.';
        return fields['response_format'] === 'verbose_json'
          ? json({ task: 'transcribe', language: 'en', duration: 0.9, text, words: null, segments: [] })
          : json({ text });
      },
      ({ status, message }) => json({ detail: message }, status),
    ),
  });
  return Object.assign(server, { baseUrl: `${server.origin}/v1` });
}

export interface WhisperCppOptions {
  /** Behaves as if started with `--request-path /v1 --inference-path /audio/transcriptions`. */
  readonly isOpenAiShaped?: boolean;
  /** Behaves as if started with `--convert`: also reads other formats than WAV. */
  readonly converts?: boolean;
  /** The transcript. The server puts a blank before it and a line end after it; silence is `[BLANK_AUDIO]`. */
  readonly said?: string;
}

/** A fake of whisper.cpp's `whisper-server`. Errors have status 200, like those of its older versions. */
export async function startFakeWhisperCpp(options: WhisperCppOptions = {}): Promise<FakeLocalSpeech> {
  const { isOpenAiShaped = false, converts = false, said = 'Hello mesh.' } = options;
  const path = isOpenAiShaped ? '/v1/audio/transcriptions' : '/inference';
  const read = async (request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<SpeechForm> => {
    demand(request.method === 'POST' && request.url === path, `File Not Found (${request.url})`, 404);
    const form = await readSpeechForm(request, body);
    demand(converts || form.contentType === 'audio/wav', 'failed to read WAV file', 200);
    return form;
  };
  const server = await startAudioServer<SpeechForm>({
    judge: judgeBy(
      read,
      ({ fields }) => {
        const text = ` ${said}\n`;
        const long = { task: 'transcribe', language: 'english', duration: 0.9, text, segments: [] };
        return json(fields['response_format'] === 'verbose_json' ? long : { text });
      },
      ({ status, message }) => json({ error: message }, status),
    ),
  });
  return Object.assign(server, { baseUrl: isOpenAiShaped ? `${server.origin}/v1` : server.origin });
}

function judgeBy(
  read: (request: IncomingMessage, body: Buffer<ArrayBuffer>) => Promise<SpeechForm>,
  print: (form: SpeechForm) => FakeBody,
  printError: (refusal: Refusal) => FakeBody,
) {
  return async (request: IncomingMessage, body: Buffer<ArrayBuffer>) => {
    try {
      const right = await read(request, body);
      return { right, answer: print(right) };
    } catch (error) {
      if (error instanceof Refusal) return { wrong: printError(error) };
      throw error;
    }
  };
}
