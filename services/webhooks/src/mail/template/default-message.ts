import type { TemplateValues } from './placeholders.ts';

/** The message for a subscription without a template, as a template. Lines whose value is empty are left out. */
export function defaultTemplate(values: TemplateValues): string {
  const lines = ['A new mail has arrived.', ''];
  if (values.sender) lines.push('From: {{ sender }}');
  lines.push('Subject: {{ subject }}');
  if (values.received ?? values.date) lines.push(values.received ? 'Received: {{ received }}' : 'Date: {{ date }}');
  lines.push('', values.body ? '{{ body }}' : '{{ body_preview }}');
  return lines.join('\n');
}
