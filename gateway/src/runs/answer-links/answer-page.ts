import { createHash } from 'node:crypto';
import { escapeHtml } from '../../edge/http/escape-html.ts';
import type { AskedCall } from './asked-call.ts';
import { printable } from './printable.ts';

const style = `:root{color-scheme:light dark;font-family:system-ui,sans-serif}
body{margin:0 auto;max-width:44rem;padding:1rem;line-height:1.5}
pre{padding:.75rem;overflow-x:auto;white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8c9199}
fieldset{margin:1rem 0;border:1px solid #8c9199}
textarea{box-sizing:border-box;width:100%;font:inherit}
button{margin:0 .75rem .75rem 0;padding:.7rem 1.2rem;font:inherit}`;

/** Allows the style of the page and its form, and nothing else. */
export const answerPagePolicy =
  `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; ` +
  "form-action 'self'; frame-ancestors 'none'; base-uri 'none'";

/** Most characters of all texts of a page. As a form they have less than 64 KiB in any language: no more is read without authentication. */
const mostCharacters = 7_000;

/** Most characters of each text of a page. A line end is one. */
export function longestAnswer(calls: readonly AskedCall[]): number {
  return Math.floor(mostCharacters / Math.max(1, calls.filter(({ isApproval }) => !isApproval).length));
}

export interface AnswerPage {
  readonly appName: string;
  readonly sessionId: string;
  readonly token: string;
  readonly calls: readonly AskedCall[];
  /** The mistake in the answer that was sent. */
  readonly fault?: string | undefined;
}

/** HTML of the page that asks for the answers. It needs no script. */
export function answerPage({ appName, sessionId, token, calls, fault }: AnswerPage): string {
  const alert = fault === undefined ? '' : `<p role="alert">${shown(fault)}</p>`;
  const isOne = calls.length === 1;
  const needsSend = !isOne || calls[0]?.isApproval !== true;
  const longest = longestAnswer(calls);
  return document(
    'An agent waits for your answer',
    `<p>App <b>${shown(appName)}</b>, session <b>${shown(sessionId)}</b></p>
${alert}
<form method="post" action="run-answers">
<input type="hidden" name="token" value="${escapeHtml(token)}">
${calls.map((call, index) => question(call, { index, isOne, longest })).join('\n')}
${needsSend ? '<button>Send</button>' : ''}
</form>`,
  );
}

/** HTML of a page that says something. */
export function saying(title: string, text: string): string {
  return document(title, `<p>${shown(text)}</p>`);
}

function document(title: string, main: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${shown(title)} · Agent Mesh</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${shown(title)}</h1>
${main}
</main>
</body>
</html>
`;
}

interface Place {
  readonly index: number;
  readonly isOne: boolean;
  /** See `longestAnswer`. */
  readonly longest: number;
}

function question(call: AskedCall, { index, isOne, longest }: Place): string {
  const { isApproval, tool, hint, args } = call;
  const legend = isApproval ? `May the agent call ${shown(tool)}?` : `${shown(tool)} needs an answer`;
  const answer = isApproval ? decision(index, isOne) : text(index, longest);
  return `<fieldset>
<legend>${legend}</legend>
${hint === '' ? '' : `<p>${shown(hint)}</p>`}
${args === undefined ? '' : `<pre>${shown(args)}</pre>`}
${answer}
</fieldset>`;
}

function decision(index: number, isOne: boolean): string {
  const name = `answer${index}`;
  const choices = [
    ['approve', 'Approve'],
    ['reject', 'Reject'],
  ] as const;
  return choices
    .map(([value, label]) =>
      isOne
        ? `<button name="${name}" value="${value}">${label}</button>`
        : `<label><input type="radio" name="${name}" value="${value}" required> ${label}</label>`,
    )
    .join('\n');
}

function text(index: number, longest: number): string {
  const name = `answer${index}`;
  return `<label for="${name}">Your answer: text, or a JSON object</label>
<textarea id="${name}" name="${name}" rows="4" maxlength="${longest}" required></textarea>`;
}

function shown(value: string): string {
  return escapeHtml(printable(value));
}
