/** The charset of a `Content-Type` header; undefined when it names none. */
export function charsetOf(contentType: string | undefined): string | undefined {
  return contentType?.match(/;\s{0,8}charset\s{0,8}=\s{0,8}["']?([\w.:-]{1,40})/i)?.[1];
}

/**
 * Decodes base64url bytes in a charset. windows-1252, which can decode any byte, stands in for a charset that is unknown, and, when none is
 * named, for UTF-8 with mistakes.
 */
export function decodeText(base64url: string, charset: string | undefined): string {
  const bytes = Buffer.from(base64url, 'base64url');
  try {
    return new TextDecoder(charset, { fatal: charset === undefined }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
