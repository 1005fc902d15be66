/** Names that a template may use, each with its value in the sample mail of the preview. */
export const sampleMail: Readonly<Record<string, string>> = {
  sender: 'Grace Hopper <grace@example.org>',
  sender_name: 'Grace Hopper',
  sender_email: 'grace@example.org',
  subject: 'Invoice 7 is wrong',
  body: 'Hello,\nthe sum of invoice 7 is wrong. Can you look at it?\nGrace',
  body_preview: 'Hello, the sum of invoice 7 is wrong.',
  snippet: 'Hello, the sum of invoice 7 is wrong.',
  received: '2026-01-31T09:30:00Z',
  date: '2026-01-31T09:30:00Z',
  resource: 'Inbox',
  to: 'you@example.com',
  cc: '',
  message_id: 'm-1',
  mailbox: 'you@example.com',
  provider: 'google_gmail',
  change_type: 'created',
};

const usual =
  'A new mail has arrived.\n\nFrom: {{ sender }}\nSubject: {{ subject }}\nReceived: {{ received }}\n\n{{ body }}';

/** The message that the agent gets for the sample mail, without the marks round what third parties wrote. An empty template: the usual message. */
export function previewOf(template: string): string {
  const text = template.trim() === '' ? usual : template;
  return text.replace(/\$\$|\{\{\s*(\w+)\s*\}\}|\$\{(\w+)\}|\$(\w+)/g, (whole, ...names: (string | undefined)[]) => {
    if (whole === '$$') return '$';
    const name = names.slice(0, 3).find((it) => it !== undefined) ?? '';
    return Object.hasOwn(sampleMail, name) ? (sampleMail[name] ?? '') : whole;
  });
}
