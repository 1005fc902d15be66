/** Standard base64 of a stream of bytes, however it is cut into chunks. Holds at most two bytes back. */
export async function* toBase64(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer, void, void> {
  let held = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = held.length === 0 ? bufferOf(chunk) : Buffer.concat([held, chunk]);
    const whole = bytes.length - (bytes.length % 3);
    held = Buffer.from(bytes.subarray(whole));
    if (whole > 0) yield Buffer.from(bytes.toString('base64', 0, whole), 'latin1');
  }
  if (held.length > 0) yield Buffer.from(held.toString('base64'), 'latin1');
}

function bufferOf({ buffer, byteOffset, byteLength }: Uint8Array): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}
