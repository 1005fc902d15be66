/** An error as it is told to the host. */
export interface TextsOfError {
  readonly name: string;
  /** Never empty: that of an error without a message is its name. */
  readonly message: string;
  readonly stack: string;
}

/** The texts of what code has thrown. That may be anything, also an error whose name or message is no text. */
export function textsOfError(thrown: unknown): TextsOfError {
  const { name, message, stack } = thrown instanceof Error ? thrown : new Error(printed(thrown));
  const title = textOr(name, 'Error');
  return { name: title, message: textOr(message, title), stack: textOr(stack, '') };
}

function printed(value: unknown): string {
  try {
    return String(value);
  } catch {
    return 'a value that cannot be printed';
  }
}

function textOr(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise;
}
