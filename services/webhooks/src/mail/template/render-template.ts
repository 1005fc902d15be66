import { cleanText, cutText } from '../safety/clean-text.ts';
import { defaultTemplate } from './default-message.ts';
import { createFence, type Fence } from './fence.ts';
import { isPlaceholder, type Placeholder, type TemplateValues, valueRules } from './placeholders.ts';
import { replacePlaceholders } from './scan-template.ts';

/**
 * Writes the message of one run. Values are cleaned, cut to their lengths, and fenced when third parties wrote them. They are not scanned for
 * placeholders. An unknown placeholder stays as it is. Without a template, or with a blank one, the message is the default one.
 */
export function renderTemplate(
  template: string | undefined,
  values: TemplateValues,
  fence: Fence = createFence(),
): string {
  const text = template?.trim() ? template : defaultTemplate(values);
  let fenced = false;
  const message = replacePlaceholders(text, (name) => {
    if (!isPlaceholder(name)) return undefined;
    const value = valueOf(name, values);
    if (value === '' || valueRules[name].trusted) return value;
    fenced = true;
    return fence.around(value);
  });
  return fenced ? `${fence.notice}\n\n${message}` : message;
}

function valueOf(name: Placeholder, values: TemplateValues): string {
  const { length, lines } = valueRules[name];
  const value = cleanText(values[name] ?? '', { lines: lines ?? false, maxLength: length }).trim();
  return value === '' && name === 'subject' ? '(no subject)' : cutText(value, length);
}
