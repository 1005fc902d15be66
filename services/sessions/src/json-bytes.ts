/** UTF-8 bytes as text, without a copy of the bytes. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}

/** Like `textOf`. Undefined for no bytes, which mean "none" in the protocol. */
export function optionalText(bytes: Uint8Array): string | undefined {
  return bytes.length === 0 ? undefined : textOf(bytes);
}

const noBytes = new Uint8Array(0);

/** Text as UTF-8 bytes. */
export function bytesOf(text: string): Uint8Array {
  return text === '' ? noBytes : Buffer.from(text, 'utf8');
}
