import { randomUUID } from 'node:crypto';
import type { AudioFormat } from '../audio/formats.ts';
import type { Recording } from '../audio/recording.ts';
import { type Dialect, type Spoken, UnusableAnswer } from './dialect.ts';
import { errorTextOf, isObject } from './error-text.ts';

/** OpenAI's limit is for the whole body of the request; the form around the audio takes a part of it. */
const maxBodyBytes = 25 * 1024 * 1024;
/** More than the form around the audio ever takes. */
const formBytes = 1024;

/** More seconds than a recording of that size has in any format. JSON has larger numbers, and 1e999, which is read as Infinity. */
const mostSeconds = maxBodyBytes;

/** whisper.cpp's words for silence. */
const blank = '[BLANK_AUDIO]';

export interface OpenAiOptions {
  /** The whole address that recordings are posted to. */
  readonly url: string;
  readonly apiKey: string | undefined;
  readonly model: string | undefined;
}

/** Servers with the form of OpenAI's `POST /v1/audio/transcriptions`: OpenAI itself, speaches, whisper.cpp. */
export function createOpenAiDialect({ url, apiKey, model }: OpenAiOptions): Dialect {
  return {
    maxBytes: maxBodyBytes - formBytes,
    model,
    request: (recording) => {
      const boundary = `agentmesh-${randomUUID()}`;
      const headers = {
        'content-type': `multipart/form-data; boundary=${boundary}`,
        ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      };
      return { url, headers, body: formOf(recording, { boundary, model }) };
    },
    read,
  };
}

async function* formOf(
  { format, bytes }: Recording,
  { boundary, model }: { boundary: string; model: string | undefined },
): AsyncGenerator<Uint8Array, void, void> {
  const field = (name: string, value: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const file =
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="audio.${extensionOf(format)}"\r\n` +
    `content-type: ${format.mimeType}\r\n\r\n`;
  const ofModel = model === undefined ? '' : field('model', model);
  yield Buffer.from(`${ofModel}${field('response_format', responseFormat(model))}${file}`);
  yield* bytes;
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

/** OpenAI's list of extensions has no aac. It has m4a, whose files mostly hold the same codec. */
function extensionOf({ extension }: AudioFormat): string {
  return extension === 'aac' ? 'm4a' : extension;
}

/** Whisper models tell language and duration in the long form; OpenAI's newer models know only the short one. */
function responseFormat(model: string | undefined): string {
  return model === undefined || /whisper/i.test(model) ? 'verbose_json' : 'json';
}

function read(answer: unknown): Spoken {
  // Older whisper.cpp servers answer errors with status 200.
  if (!isObject(answer) || typeof answer.text !== 'string') throw new UnusableAnswer(errorTextOf(answer));
  const { text, language } = answer;
  const seconds = secondsOf(answer);
  return {
    text: text.trim() === blank ? '' : text,
    ...(typeof language === 'string' && language !== '' && { language }),
    ...(seconds !== undefined && { seconds }),
  };
}

/** `duration` of the long form, or `usage` `{"type":"duration","seconds":3}` of the short one. */
function secondsOf({ duration, usage }: Record<string, unknown>): number | undefined {
  const seconds = duration ?? (isObject(usage) ? usage.seconds : undefined);
  return typeof seconds === 'number' && seconds >= 0 && seconds <= mostSeconds ? seconds : undefined;
}
