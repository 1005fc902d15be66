/** Most characters of an invocation id. */
export const maxInvocationIdLength = 256;

/** Whether a text can be an invocation id. */
export function isInvocationId(text: string): boolean {
  return text !== '' && text.length <= maxInvocationIdLength && !text.includes('\0');
}
