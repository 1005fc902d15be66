import type { Problem } from '../../edge/errors/problem.ts';

interface Issue {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
}

const contentType = { 'content-type': 'text/plain; charset=utf-8' };

/** An error as a sentence: `useChat` has the text of the answer as the message of its error, which pages show to people. */
export function chatProblem(problem: Problem): Problem {
  return { status: problem.status, body: sentenceOf(problem), headers: { ...problem.headers, ...contentType } };
}

/** The text of an error. */
export function sentenceOf({ body }: Problem): string {
  const { detail } = body as { readonly detail: string | readonly Issue[] };
  if (typeof detail === 'string') return detail;
  return detail.map(({ loc, msg }) => `${loc.slice(1).join('.') || 'body'}: ${msg}`).join('; ');
}
