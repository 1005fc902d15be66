/** Name of an object. `id` is a UUID that is never used twice. */
export interface BlobName {
  readonly accountId: string;
  readonly id: string;
}

/** `length` bytes, beginning at byte `start`. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** Store of large payloads. An object is written once and never changed. All methods throw `artifact_store_unavailable` when the store fails. */
export interface BlobStore {
  /** Starts writing an object. */
  write(name: BlobName): Promise<BlobWriter>;
  /** Streams the bytes of a range that the object has. Throws `artifact_not_found` when the object does not exist. */
  read(name: BlobName, range: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes an object, complete or incomplete. Idempotent. */
  remove(name: BlobName): Promise<void>;
  /** Removes what remains of an account after its objects were removed, e.g. its empty folder. */
  removeAccount(accountId: string): Promise<void>;
  /** Bytes of a complete object; undefined when it does not exist. */
  size(name: BlobName): Promise<number | undefined>;
  /** The complete objects, in any order and in pages. An object that is written or removed meanwhile may be missing. */
  list(): AsyncIterable<readonly BlobName[]>;
  /** Health check: throws when the store cannot be used. */
  check(): Promise<void>;
}

/** Writes one object. Ends with `finish` or `abort`. */
export interface BlobWriter {
  /** Resolves when the next chunk may be written. The caller must not change the bytes afterwards. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when the object is complete and durable. */
  finish(): Promise<void>;
  /** Stops writing and removes what was written. Never rejects. */
  abort(): Promise<void>;
}
