import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { demand } from '../demand.ts';

/** A form that passed the fake's checks. */
export interface SpeechForm {
  readonly filename: string;
  readonly contentType: string;
  /** SHA-256 of the audio in lower-case hex. */
  readonly sha256: string;
  readonly bytes: number;
  /** The fields other than the audio. */
  readonly fields: Readonly<Record<string, string>>;
  readonly authorization: string | undefined;
}

/** Reads a multipart form with one `file`. Refuses other bodies, duplicate fields and a second file. */
export async function readSpeechForm(request: IncomingMessage, body: Buffer<ArrayBuffer>): Promise<SpeechForm> {
  const type = request.headers['content-type'] ?? '';
  demand(/^multipart\/form-data\s*;\s*boundary=/i.test(type), 'Invalid content type: a multipart form is required.');
  const form = await new Response(body, { headers: { 'content-type': type } }).formData().catch(() => undefined);
  demand(form !== undefined, 'Could not parse multipart form');
  const fields: Record<string, string> = {};
  let file: File | undefined;
  for (const [name, value] of form) {
    demand(!(name in fields) && (name !== 'file' || file === undefined), `Duplicate field: ${name}`);
    if (typeof value === 'string') fields[name] = value;
    else {
      demand(name === 'file', `Unexpected file: ${name}`);
      file = value;
    }
  }
  demand(file !== undefined, "Missing required parameter: 'file'.", 400);
  const audio = Buffer.from(await file.arrayBuffer());
  return {
    filename: file.name,
    contentType: file.type,
    sha256: createHash('sha256').update(audio).digest('hex'),
    bytes: audio.length,
    fields,
    authorization: request.headers.authorization,
  };
}
