import type { IncomingMessage } from 'node:http';
import { demand, demandKeys, Refusal } from '../demand.ts';
import { type FakeBody, json } from '../scripted-server.ts';
import { type AudioServer, startAudioServer } from './audio-server.ts';
import { readSpeechForm, type SpeechForm } from './speech-form.ts';

/** A fake of OpenAI's `POST /v1/audio/transcriptions`. It validates requests as strictly as the vendor. */
export interface FakeOpenAiSpeech extends AudioServer<SpeechForm> {
  /** Value for `TRANSCRIBE_BASE_URL`, ends in `/v1`. */
  readonly baseUrl: string;
}

const maxBodyBytes = 26_214_400;
const fields =
  'model language prompt response_format temperature timestamp_granularities[] include[] stream chunking_strategy';
const models = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe', 'gpt-4o-transcribe-diarize'];
const extensions = ['flac', 'm4a', 'mp3', 'mp4', 'mpeg', 'mpga', 'oga', 'ogg', 'wav', 'webm'];
const durationSeconds = 0.9;

/** Starts a fake on a free loopback port. Every request must carry this key; the transcript of every recording is `said`. */
export async function startFakeOpenAiSpeech({
  apiKey,
  said = 'Hello mesh.',
}: {
  readonly apiKey: string;
  readonly said?: string;
}): Promise<FakeOpenAiSpeech> {
  const server = await startAudioServer<SpeechForm>({
    judge: async (request, body) => {
      try {
        const right = await read(request, body, apiKey);
        return { right, answer: print(right, said) };
      } catch (error) {
        if (error instanceof Refusal) return { wrong: refusal(error.status, error.message) };
        throw error;
      }
    },
  });
  return Object.assign(server, { baseUrl: `${server.origin}/v1` });
}

async function read(request: IncomingMessage, body: Buffer<ArrayBuffer>, apiKey: string): Promise<SpeechForm> {
  const { method, url, headers } = request;
  demand(method === 'POST' && url === '/v1/audio/transcriptions', `Invalid URL (${method} ${url})`, 404);
  const given = headers.authorization?.replace(/^Bearer /, '') ?? '';
  demand(given === apiKey, `Incorrect API key provided: ${given}.`, 401);
  const size = `Maximum content size limit (${maxBodyBytes}) exceeded (${body.length} bytes read)`;
  demand(body.length <= maxBodyBytes, size, 413);
  const form = await readSpeechForm(request, body);
  demandKeys(form.fields, fields, (key) => `Unrecognized request argument supplied: ${key}`);
  const { model, response_format: format = 'json' } = form.fields;
  demand(model !== undefined, 'you must provide a model parameter');
  demand(models.includes(model), `The model \`${model}\` does not exist or you do not have access to it.`, 404);
  const extension = form.filename.split('.').at(-1) ?? '';
  const list = extensions.map((name) => `'${name}'`).join(', ');
  demand(extensions.includes(extension), `Invalid file format. Supported formats: [${list}]`);
  demand(form.bytes > 0, 'Audio file is too short. Minimum audio length is 0.1 seconds.');
  const formats = model === 'whisper-1' ? 'json text srt verbose_json vtt' : 'json';
  const unsupported = `response_format '${format}' is not compatible with model '${model}'. Use 'json' instead.`;
  demand(formats.split(' ').includes(format), unsupported);
  return form;
}

function print({ fields: { model, response_format: format = 'json' } }: SpeechForm, said: string): FakeBody {
  const tokens = { type: 'tokens', input_tokens: 9, output_tokens: 4, total_tokens: 13 };
  const usage = model === 'whisper-1' ? { type: 'duration', seconds: 1 } : tokens;
  if (format === 'json') return json({ text: said, usage });
  if (format !== 'verbose_json') return { contentType: 'text/plain; charset=utf-8', body: `${said}\n` };
  const segment = { id: 0, seek: 0, start: 0, end: durationSeconds, text: said, tokens: [50364], temperature: 0 };
  const scores = { avg_logprob: -0.2, compression_ratio: 0.7, no_speech_prob: 0.01 };
  const segments = [{ ...segment, ...scores }];
  return json({ task: 'transcribe', language: 'english', duration: durationSeconds, text: said, segments, usage });
}

function refusal(status: number, message: string): FakeBody {
  const code = status === 401 ? 'invalid_api_key' : status === 404 ? 'model_not_found' : null;
  const type = status === 413 ? 'server_error' : 'invalid_request_error';
  return json({ error: { message, type, param: null, code } }, status);
}
