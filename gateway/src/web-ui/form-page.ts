import { escapeHtml } from '../edge/http/escape-html.ts';

/** A page with one form. */
export interface FormPage {
  readonly title: string;
  /** Path that the form is posted to. */
  readonly action: string;
  readonly fields: readonly Field[];
  /** Query of the page to show afterwards; goes along in a hidden field. */
  readonly next: string;
  /** Text of the button. */
  readonly submit: string;
  /** Error to show above the form. */
  readonly fault?: string | undefined;
  /** Link below the form. */
  readonly link?: { readonly href: string; readonly text: string } | undefined;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly type: 'text' | 'email' | 'password';
  /** Value of the `autocomplete` attribute. */
  readonly autocomplete: string;
  readonly value?: string;
  readonly minLength?: number;
}

/** HTML of the page. It needs neither script nor framework. */
export function formPage({ title, action, fields, next, submit, fault, link }: FormPage): string {
  const alert = fault === undefined ? '' : `<p role="alert" id="fault">${escapeHtml(fault)}</p>`;
  const below = link === undefined ? '' : `<p><a href="${escapeHtml(link.href)}">${escapeHtml(link.text)}</a></p>`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Agent Mesh</title>
<link rel="stylesheet" href="/dev-ui/form.css">
</head>
<body>
<main>
<h1>Agent Mesh</h1>
${alert}
<form method="post" action="${escapeHtml(action)}">
<input type="hidden" name="next" value="${escapeHtml(next)}">
${fields.map((field) => inputOf(field, fault !== undefined)).join('\n')}
<button type="submit">${escapeHtml(submit)}</button>
</form>
${below}
</main>
</body>
</html>
`;
}

function inputOf({ name, label, type, autocomplete, value = '', minLength }: Field, isRefused: boolean): string {
  const shortest = minLength === undefined ? '' : ` minlength="${minLength}"`;
  const described = isRefused ? ' aria-describedby="fault" aria-invalid="true"' : '';
  return `<label for="${name}">${escapeHtml(label)}</label>
<input id="${name}" name="${name}" type="${type}" autocomplete="${autocomplete}" required value="${escapeHtml(value)}"${shortest}${described}>`;
}
