import type { Answer } from '../records.ts';
import { type CallOptions, route, type Upload } from '../transport/call.ts';
import { newKey } from '../transport/new-key.ts';
import type { Transport } from '../transport/transport.ts';
import { pathOf, type SessionName } from './sessions.ts';

/** An artifact that is being read. */
export interface Download {
  readonly body: ReadableStream<Uint8Array>;
  readonly mimeType: string;
  /** Length in bytes, where the server tells it. */
  readonly bytes: number | undefined;
}

export interface UploadOptions extends CallOptions {
  readonly mimeType?: string | undefined;
}

/** Named, versioned files of a session; those with `user:` before their name belong to all sessions of the user. */
export class Artifacts {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** Names of the artifacts. */
  async list(session: SessionName, options?: CallOptions): Promise<Answer<'listArtifacts'>> {
    return this.#transport.json({ path: `${pathOf(session)}/artifacts`, ...options });
  }

  /** All versions of an artifact. */
  async versions(
    session: SessionName,
    name: string,
    options?: CallOptions,
  ): Promise<Answer<'listArtifactVersionRecords'>> {
    return this.#transport.json({ path: `${fileOf(session, name)}/versions/metadata`, ...options });
  }

  /** Opens the latest version, or the given one. */
  async download(
    session: SessionName,
    name: string,
    options: CallOptions & { version?: number } = {},
  ): Promise<Download> {
    const { version, signal } = options;
    const query = { alt: 'media', version };
    const { body, headers } = await this.#transport.open({ path: fileOf(session, name), query, signal });
    const length = headers.get('content-length');
    return {
      body: body ?? new ReadableStream({ start: (controller) => controller.close() }),
      mimeType: headers.get('content-type') ?? 'application/octet-stream',
      bytes: length === null ? undefined : Number(length),
    };
  }

  /**
   * Stores bytes as the next version. A stream is sent once; a function that opens one is called again when the request has to be repeated.
   *
   * @example
   * ```ts
   * const session = { app: 'echo', user: 'u1', session: (await mesh.sessions.create({ app: 'echo', user: 'u1' })).id };
   * await mesh.artifacts.upload(session, 'a.txt', 'Hello', { mimeType: 'text/plain' });
   * const { body, bytes } = await mesh.artifacts.download(session, 'a.txt');
   * console.log(bytes, await new Response(body).text()); // 5 Hello
   * ```
   */
  async upload(
    session: SessionName,
    name: string,
    upload: Upload,
    options: UploadOptions = {},
  ): Promise<Answer<'uploadArtifact'>> {
    const { mimeType = 'application/octet-stream', idempotencyKey = newKey(), signal } = options;
    const headers = { 'content-type': mimeType };
    return this.#transport.json({
      method: 'PUT',
      path: fileOf(session, name),
      upload,
      headers,
      idempotencyKey,
      signal,
    });
  }

  /** Deletes all versions of an artifact. */
  async delete(session: SessionName, name: string, options?: CallOptions): Promise<void> {
    await this.#transport.json({ method: 'DELETE', path: fileOf(session, name), ...options });
  }
}

function fileOf(session: SessionName, name: string): string {
  return `${pathOf(session)}${route`/artifacts/${name}`}`;
}
