import { MeshError } from '@agentmesh/lib/rpc';

/** A caller of the mesh broke the protocol of the call. No request of the public API leads here. */
export function requestInvalid(message: string): MeshError {
  return new MeshError('invalid_argument', 'request_invalid', message);
}

export function notConfigured(): MeshError {
  return new MeshError('unavailable', 'transcription_not_configured', 'Transcription is not configured.');
}

export function audioEmpty(): MeshError {
  return new MeshError('invalid_argument', 'audio_empty', 'The recording is empty.');
}

export function audioTooLarge(maxBytes: number): MeshError {
  return new MeshError('resource_exhausted', 'audio_too_large', `The recording is larger than ${maxBytes} bytes.`);
}

/** The first bytes are of no format that is accepted. */
export function formatUnsupported(formats: readonly string[]): MeshError {
  const message = `The format of the recording is not supported. Supported formats: ${formats.join(', ')}.`;
  return new MeshError('invalid_argument', 'audio_format_unsupported', message);
}

/** The server answered that it cannot use this recording. */
export function recordingRefused(cause: unknown): MeshError {
  const message = 'The transcription server refused the recording.';
  return new MeshError('unavailable', 'transcription_failed', message, { cause });
}

/** The server cannot be reached, is misconfigured, or its answer cannot be read. */
export function serverFailed(cause: unknown): MeshError {
  const message = 'The transcription server failed.';
  return new MeshError('unavailable', 'transcription_failed', message, { cause });
}

export function serverTimeout(): MeshError {
  const message = 'The transcription server did not answer in time.';
  return new MeshError('deadline_exceeded', 'transcription_timeout', message);
}
