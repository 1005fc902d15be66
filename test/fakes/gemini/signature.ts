import { createHmac } from 'node:crypto';

/** Value that Google accepts instead of a signature when the caller never received one. */
export const skipSignature = 'skip_thought_signature_validator';

/** Signs a function call. Without one: the signature of every other part. */
export function signPart(call?: { readonly name: string; readonly args?: object | undefined }): string {
  const signed = call === undefined ? 'said' : JSON.stringify([call.name, call.args ?? {}]);
  return createHmac('sha512', 'fake').update(signed).digest('base64');
}
