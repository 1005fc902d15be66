/** The text of a Content: that of its text parts, joined with blanks; blank for one that has none. */
export function contentText(contentJson: string): string {
  const content: unknown = JSON.parse(contentJson);
  const parts: unknown = isObject(content) ? content['parts'] : undefined;
  if (!Array.isArray(parts)) return '';
  const texts = parts.map((part: unknown) => (isObject(part) ? part['text'] : undefined));
  return texts.filter((text) => typeof text === 'string').join(' ');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
