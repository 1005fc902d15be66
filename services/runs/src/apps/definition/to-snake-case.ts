/** Converts `topP` to `top_p`; a name in snake case is returned unchanged. */
export function toSnakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
