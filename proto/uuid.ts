const uuid = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/** Whether a text is a UUID in the one spelling in which messages carry the ids of accounts and of what belongs to them: lower case. */
export function isUuid(text: string): boolean {
  return uuid.test(text);
}
