/** Header that names the run of an answer. */
export const invocationHeader = 'x-invocation-id';

/** Invocation ids may hold any character; headers allow only printable ASCII. */
export function headerText(id: string): string {
  return /^[\x20-\x7e]*$/.test(id) ? id : encodeURIComponent(id.toWellFormed());
}

/** The id that a header of a request names: one that `headerText` has encoded is decoded, and any other text is the id itself. */
export function idInHeader(text: string): string {
  const id = decoded(text);
  return headerText(id) === text ? id : text;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
