import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const placeholders = new URL('../services/webhooks/src/mail/template/placeholders.ts', import.meta.url);

// The console is a program of the browser, with types of its own.
const preview = new URL('../console/src/screens/automation/mail-template.ts', import.meta.url);
const { previewOf, sampleMail } = (await import(preview.href)) as {
  readonly previewOf: (template: string) => string;
  sampleMail: Record<string, string>;
};

test('the sample mail has a value for each placeholder of the service', () => {
  const [, list = ''] = /export const placeholders = \[(.*?)\]/s.exec(readFileSync(placeholders, 'utf8')) ?? [];
  const names = [...list.matchAll(/'(\w+)'/g)].map(([, name]) => name);
  expect(names.length).toBe(16);
  expect(new Set(Object.keys(sampleMail))).toEqual(new Set(names));
});

test('a preview fills in all forms of a placeholder, and leaves other words alone', () => {
  for (const [name, value] of Object.entries(sampleMail))
    for (const form of [`{{ ${name} }}`, `\${${name}}`, `$${name}`]) expect(previewOf(`<${form}>`)).toBe(`<${value}>`);
  expect(previewOf('{{ unknown }} $unknown $$subject')).toBe('{{ unknown }} $unknown $subject');
});
