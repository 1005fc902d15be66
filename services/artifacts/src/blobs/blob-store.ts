/** Names an object of the store; ids are UUIDs and never used twice. */
export interface BlobName {
  readonly accountId: string;
  readonly id: string;
}

/** Which bytes: from `start`, `length` of them at most. */
export interface ByteRange {
  readonly start: number;
  readonly length: number;
}

/** Where large payloads are. Every object is written once, read any number of times and removed once. */
export interface BlobStore {
  /** Starts an object. */
  write(name: BlobName): Promise<BlobWriter>;
  /** The bytes of a range, in chunks. Throws `artifact_not_found` when the object is not there. */
  read(name: BlobName, range: ByteRange): AsyncIterable<Uint8Array>;
  /** Removes what there is of an object, whole or not. Idempotent. */
  remove(name: BlobName): Promise<void>;
  /** Removes what an account leaves behind when all its objects are removed. */
  removeAccount(accountId: string): Promise<void>;
  /** Throws when the store cannot be used. */
  check(): Promise<void>;
}

/** An object being written. Ends with `finish` or `abort`. */
export interface BlobWriter {
  /** Resolves when there is room for more. The bytes must not change afterwards. */
  write(chunk: Uint8Array): Promise<void>;
  /** Resolves when the object is whole and survives a power cut. */
  finish(): Promise<void>;
  /** Gives up; what was written is removed. Never rejects. */
  abort(): Promise<void>;
}
