import { createHmac } from 'node:crypto';

/** What Google lets callers send in place of a signature they never had. */
export const skipSignature = 'skip_thought_signature_validator';

/** Signs a call, or anything that is said when there is none. */
export function signPart(call?: { readonly name: string; readonly args?: object | undefined }): string {
  const signed = call === undefined ? 'said' : JSON.stringify([call.name, call.args ?? {}]);
  return createHmac('sha512', 'fake').update(signed).digest('base64');
}
