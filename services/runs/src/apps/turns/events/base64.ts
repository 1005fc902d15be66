/** Converts base64 of either alphabet, padded or not, to URL-safe base64 with padding, the public form. */
export function toUrlSafeBase64(text: string): string {
  const bare = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

/** Converts URL-safe base64 to standard base64, which model APIs expect. */
export function toStandardBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}
