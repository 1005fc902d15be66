/** Returns the text argument of this name. Throws a message for the model when it is missing or not a text. */
export function readText(args: Record<string, unknown>, name: string): string {
  const value = args[name];
  if (typeof value !== 'string' || value === '')
    throw new Error(`The argument "${name}" must be a text that is not empty.`);
  return value;
}
