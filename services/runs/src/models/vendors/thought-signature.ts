/**
 * ADK keeps what a vendor wants back with a thought as `thoughtSignature`, in base64. A conversation may change its
 * model, and vendors refuse the signatures of others: each is kept with the name of its kind. Gemini's, which are base64
 * themselves, stay as they are, as ADK has them.
 */
export type SignatureKind = 'anthropic' | 'anthropic-redacted' | 'gemini' | 'openai';

const kinds: readonly SignatureKind[] = ['anthropic', 'anthropic-redacted', 'gemini', 'openai'];

/** A vendor's signature as a `thoughtSignature`. */
export function keepSignature(kind: SignatureKind, signature: string): string {
  if (kind === 'gemini' && isCanonical(signature)) return signature;
  return Buffer.from(`${kind}:${signature}`).toString('base64');
}

/** The vendor's signature with its kind. A signature without a kind is Gemini's. */
export function recallSignature(thoughtSignature: string): { kind: SignatureKind; signature: string } {
  const text = Buffer.from(thoughtSignature, 'base64').toString();
  const kind = kinds.find((one) => text.startsWith(`${one}:`));
  if (kind === undefined) return { kind: 'gemini', signature: thoughtSignature };
  return { kind, signature: text.slice(kind.length + 1) };
}

function isCanonical(text: string): boolean {
  return text !== '' && Buffer.from(text, 'base64').toString('base64') === text && !startsWithKind(text);
}

/** A signature of this form would be taken for a wrapped one. */
function startsWithKind(text: string): boolean {
  const bytes = Buffer.from(text, 'base64').toString();
  return kinds.some((kind) => bytes.startsWith(`${kind}:`));
}
