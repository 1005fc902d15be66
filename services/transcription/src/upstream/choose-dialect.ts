import type { Config } from '../config.ts';
import type { Dialect } from './dialect.ts';
import { createGeminiDialect } from './gemini.ts';
import { createOpenAiDialect } from './openai.ts';

const openAiBaseUrl = 'https://api.openai.com/v1';
const openAiModel = 'whisper-1';
const geminiBaseUrl = 'https://generativelanguage.googleapis.com';
const geminiModel = 'gemini-2.5-flash';

/** How the transcription server of the settings is asked; undefined when they do not name one. */
export function dialectOf({
  TRANSCRIBE_PROVIDER: provider,
  TRANSCRIBE_BASE_URL: baseUrl,
  TRANSCRIBE_API_KEY: apiKey,
  TRANSCRIBE_MODEL: model,
}: Config): Dialect | undefined {
  if (baseUrl === undefined && apiKey === undefined) return undefined;
  switch (provider) {
    case 'openai': {
      const url = `${baseUrl ?? openAiBaseUrl}/audio/transcriptions`;
      return createOpenAiDialect({ url, apiKey, model: model ?? openAiModel });
    }
    case 'whisper_cpp':
      // Operators run whisper.cpp themselves: there is no address to fall back to.
      return baseUrl === undefined ? undefined : createOpenAiDialect({ url: whisperUrl(baseUrl), apiKey, model });
    case 'gemini': {
      const root = (baseUrl ?? geminiBaseUrl).replace(/\/v1beta$/, '');
      return createGeminiDialect({ baseUrl: root, apiKey, model: model ?? geminiModel });
    }
  }
}

/** `/inference`, or OpenAI's path where the server was started with `--request-path /v1 --inference-path /audio/transcriptions`. */
function whisperUrl(baseUrl: string): string {
  return baseUrl.endsWith('/v1') ? `${baseUrl}/audio/transcriptions` : `${baseUrl}/inference`;
}
