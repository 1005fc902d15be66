import type { Logger } from '@agentmesh/lib/telemetry';
import type { Config } from '../config.ts';
import { recordingRefused, serverFailed, serverTimeout } from '../errors.ts';
import { dialectOf } from './choose-dialect.ts';
import { type Dialect, type Spoken, UnusableAnswer } from './dialect.ts';
import { errorTextOf } from './error-text.ts';
import { retryAfterSeconds } from './retry-after.ts';
import { createSender, type UpstreamAnswer } from './send.ts';
import type { Outcome, Transcriber } from './transcriber.ts';

interface Surroundings {
  readonly log: Logger;
  readonly resources: AsyncDisposableStack;
}

/** The transcription server of the settings; undefined when they name none. */
export function createTranscriber(config: Config, { log, resources }: Surroundings): Transcriber | undefined {
  const dialect = dialectOf(config);
  if (dialect === undefined) return undefined;
  const sender = resources.use(createSender(config.TRANSCRIBE_TIMEOUT_SECONDS * 1000));
  return {
    maxBytes: dialect.maxBytes,
    transcribe: async (recording, signal) => {
      const answer = await sender.send(dialect.request(recording), signal);
      const { status, headers, json } = answer;
      if (status === 429) return busy(retryAfterSeconds(headers, json));
      try {
        return transcriptOf(readAnswer(dialect, answer), dialect.model);
      } catch (error) {
        if (!(error instanceof UnusableAnswer)) throw error;
        const said = loggable(error.message, config.TRANSCRIBE_API_KEY);
        log.warn({ status, said }, 'the transcription server gave no transcript');
        throw failureOf(status, new UnusableAnswer(said));
      }
    },
  };
}

function readAnswer(dialect: Dialect, { status, json }: UpstreamAnswer): Spoken {
  if (status < 200 || status > 299) throw new UnusableAnswer(errorTextOf(json));
  return dialect.read(json);
}

function transcriptOf({ text, language, seconds }: Spoken, model: string | undefined): Outcome {
  const details = {
    ...(language !== undefined && { language }),
    ...(seconds !== undefined && { durationMs: BigInt(Math.round(seconds * 1000)) }),
    ...(model !== undefined && { model }),
  };
  return { case: 'transcript', value: { text: text.trim(), ...details } };
}

function busy(seconds: number | undefined): Outcome {
  return { case: 'busy', value: seconds === undefined ? {} : { retryAfterSeconds: seconds } };
}

/** Statuses by which a server says that it cannot use this recording; 200 is how older whisper.cpp servers do. */
const ofRecording = new Set([200, 400, 413, 415, 422]);
const ofTime = new Set([408, 504]);

function failureOf(status: number, cause: UnusableAnswer): Error {
  if (ofTime.has(status)) return serverTimeout();
  return ofRecording.has(status) ? recordingRefused(cause) : serverFailed(cause);
}

const longestSaid = 300;

/**
 * Text of a server without our key, at most 300 characters: OpenAI quotes a wrong key in its answer, and the cause of an error is logged
 * too. The key is hidden before the text is cut, because a cut could leave a part of it.
 */
function loggable(text: string, key: string | undefined): string {
  return (key === undefined ? text : text.replaceAll(key, '***')).slice(0, longestSaid);
}
