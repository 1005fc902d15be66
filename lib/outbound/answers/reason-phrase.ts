/** The phrase of a status as a Response may have it: empty where it is in other letters than those of Latin-1. */
export function reasonPhrase(text: string): string {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text) ? text : '';
}
