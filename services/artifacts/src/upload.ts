import { createHash, randomUUID } from 'node:crypto';
import { createMemoryRelease } from '@agentmesh/lib/heap';
import type { BlobName, BlobWriter } from './blobs/blob-store.ts';
import type { Context } from './context.ts';
import { tooLarge } from './errors.ts';
import { discardStagedBlob, insertStagedBlob } from './store/blobs.ts';
import type { Content } from './store/versions.ts';

/**
 * Receives the payload of one save. Up to `ARTIFACT_INLINE_MAX_BYTES` it is held in memory; a larger one is written to the blob store while
 * it arrives, so memory use does not grow with its size.
 */
export class Upload {
  readonly #context: Context;
  readonly #accountId: string;
  #hash = createHash('sha256');
  #size = 0;
  readonly #release = createMemoryRelease();
  #held: Uint8Array[] = [];
  #object: { name: BlobName; writer: BlobWriter } | undefined;

  constructor(context: Context, accountId: string) {
    this.#context = context;
    this.#accountId = accountId;
  }

  /** Bytes received so far. */
  get size(): number {
    return this.#size;
  }

  /** Resolves when the next chunk may be sent. Throws `artifact_too_large` once the payload is over `ARTIFACT_MAX_BYTES`. */
  async add(chunk: Uint8Array): Promise<void> {
    const { ARTIFACT_MAX_BYTES: maxBytes, ARTIFACT_INLINE_MAX_BYTES: inlineMaxBytes } = this.#context.config;
    this.#size += chunk.byteLength;
    if (this.#size > maxBytes) throw tooLarge(maxBytes);
    this.#hash.update(chunk);
    this.#release(chunk.byteLength);
    if (this.#object === undefined && this.#size <= inlineMaxBytes) this.#held.push(chunk);
    else await this.#store(chunk);
  }

  /** Discards everything received so far; the payload starts again. */
  async restart(): Promise<void> {
    await this.discard();
    this.#hash = createHash('sha256');
    this.#size = 0;
    this.#held = [];
  }

  /** Returns the whole payload. When it is an object of the blob store, it is durable, and staged until a version refers to it. */
  async finish(): Promise<Content> {
    const sha256 = this.#hash.digest();
    if (this.#object === undefined) return { sha256, bytes: Buffer.concat(this.#held) };
    await this.#object.writer.finish();
    return { sha256, blobId: this.#object.name.id };
  }

  /** To be called when a version refers to the payload: `discard` does nothing afterwards. */
  keep(): void {
    this.#object = undefined;
  }

  /** Removes the object unless a version refers to it. Never rejects: on failure the garbage collector removes it later. */
  async discard(): Promise<void> {
    const object = this.#object;
    if (object === undefined) return;
    this.#object = undefined;
    await object.writer.abort();
    await this.#forget(object.name).catch((err: unknown) =>
      this.#context.log.debug({ err }, 'discarding an unfinished payload failed, the garbage collector will remove it'),
    );
  }

  /** An object that was collected during its save is removed again, because the writer may have completed it after its removal. */
  async #forget(name: BlobName): Promise<void> {
    const known = await discardStagedBlob(this.#context.db, name);
    if (!known) await this.#context.blobs.remove(name);
  }

  async #store(chunk: Uint8Array): Promise<void> {
    this.#object ??= await this.#open();
    for (const held of this.#held.splice(0)) await this.#object.writer.write(held);
    await this.#object.writer.write(chunk);
  }

  async #open() {
    const name = { accountId: this.#accountId, id: randomUUID() };
    await insertStagedBlob(this.#context.db, name);
    return { name, writer: await this.#context.blobs.write(name) };
  }
}
