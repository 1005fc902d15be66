const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Returns whether a text is a UUID in lower case, the only form that messages use for ids of accounts and of their data. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
