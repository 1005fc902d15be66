import { createHash, randomUUID } from 'node:crypto';
import { createMemoryRelease } from '@agentmesh/lib/service';
import type { BlobName, BlobWriter } from './blobs/blob-store.ts';
import type { Context } from './context.ts';
import { tooLarge } from './errors.ts';
import { discardBlob, stageBlob } from './store/blobs.ts';
import type { Content } from './store/versions.ts';

/**
 * The payload of a save as it arrives: in memory up to the size that PostgreSQL takes, from there on in the blob store. Memory
 * stays flat however large it becomes.
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

  get size(): number {
    return this.#size;
  }

  /** Resolves when there is room for more. Throws `artifact_too_large` as soon as it is. */
  async add(chunk: Uint8Array): Promise<void> {
    const { maxBytes, inlineMaxBytes } = this.#context;
    this.#size += chunk.byteLength;
    if (this.#size > maxBytes) throw tooLarge(maxBytes);
    this.#hash.update(chunk);
    this.#release(chunk.byteLength);
    if (this.#object === undefined && this.#size <= inlineMaxBytes) this.#held.push(chunk);
    else await this.#store(chunk);
  }

  /** Forgets what came so far. */
  async restart(): Promise<void> {
    await this.discard();
    this.#hash = createHash('sha256');
    this.#size = 0;
    this.#held = [];
  }

  /** The whole payload; when it is an object, that is durable, and staged until a version takes it. */
  async finish(): Promise<Content> {
    const sha256 = this.#hash.digest();
    if (this.#object === undefined) return { sha256, bytes: Buffer.concat(this.#held) };
    await this.#object.writer.finish();
    return { sha256, blobId: this.#object.name.id };
  }

  /** A version has taken the payload: nothing is left to discard. */
  keep(): void {
    this.#object = undefined;
  }

  /** Removes what was written, unless a version has taken it. Never rejects: what is left is collected later. */
  async discard(): Promise<void> {
    const object = this.#object;
    if (object === undefined) return;
    this.#object = undefined;
    await object.writer.abort();
    await this.#forget(object.name).catch((err: unknown) =>
      this.#context.log.debug({ err }, 'an abandoned payload is left to the collector'),
    );
  }

  /** What was collected while it was still being written is removed once more: it may have become whole since. */
  async #forget(name: BlobName): Promise<void> {
    const known = await discardBlob(this.#context.db, name.id);
    if (!known) await this.#context.blobs.remove(name);
  }

  async #store(chunk: Uint8Array): Promise<void> {
    this.#object ??= await this.#open();
    for (const held of this.#held.splice(0)) await this.#object.writer.write(held);
    await this.#object.writer.write(chunk);
  }

  async #open() {
    const name = { accountId: this.#accountId, id: randomUUID() };
    await stageBlob(this.#context.db, name);
    return { name, writer: await this.#context.blobs.write(name) };
  }
}
