/** Lets grpc-js pass bytes on unchanged: messages are encoded and decoded outside of it, where failures can be told apart. */
export function asIs(bytes: Buffer): Buffer {
  return bytes;
}
