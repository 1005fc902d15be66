/** A data key as it is stored: encrypted by the wrapping key `keyId`. */
export interface WrappedKey {
  /** At most 64 characters of A-Z a-z 0-9 _ -. */
  readonly keyId: string;
  readonly bytes: Buffer;
}

/**
 * Encrypts and decrypts data keys. There is one driver, `createLocalWrapper`; a key management service can be another one, which is why
 * both functions are asynchronous.
 */
export interface KeyWrapper {
  /** Id of the key that wraps now. */
  readonly currentId: string;
  /** Wraps a data key of 32 bytes. `binding` is authenticated: unwrapping needs the same bytes. Rejects when the driver fails. */
  wrap(dataKey: Buffer, binding: Buffer): Promise<WrappedKey>;
  /**
   * Returns the data key; undefined when it was wrapped by a key that is not known here, was changed, or has another binding. Rejects
   * when the driver fails: then nothing is known about the data key.
   */
  unwrap(wrapped: WrappedKey, binding: Buffer): Promise<Buffer | undefined>;
}
