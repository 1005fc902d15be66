/** Standard or URL-safe base64, padded or not, as URL-safe base64 with padding: the public form. */
export function toUrlSafeBase64(text: string): string {
  const bare = text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '');
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=');
}

/** URL-safe base64 as standard base64: what model APIs take. */
export function toStandardBase64(text: string): string {
  return text.replaceAll('-', '+').replaceAll('_', '/');
}
