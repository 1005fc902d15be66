/** Header that names the run of an answer. */
export const invocationHeader = 'x-invocation-id';

/** Invocation ids may hold any character; headers allow only printable ASCII. */
export function headerText(id: string): string {
  return /^[\x20-\x7e]*$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}
