import { httpUrl, text, wholeNumberFrom } from '@agentmesh/lib/service';
import { type CleanedEnv, str } from 'envalid';

/** Settings of the service; see docs/settings.md. */
export const settings = {
  TRANSCRIBE_PROVIDER: str({ default: 'openai', choices: ['openai', 'whisper_cpp', 'gemini'] }),
  TRANSCRIBE_BASE_URL: httpUrl({ default: undefined, desc: 'where the transcription server is reached' }),
  TRANSCRIBE_API_KEY: text({
    default: undefined,
    desc: 'key of the transcription server; local servers may need none',
  }),
  TRANSCRIBE_MODEL: text({ default: undefined }),
  TRANSCRIBE_TIMEOUT_SECONDS: wholeNumberFrom(1, 3600)({ default: 120 }),
};

export type Config = Readonly<CleanedEnv<typeof settings>>;
