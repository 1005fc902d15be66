import type { Problem } from '../../edge/errors/problem.ts';
import { problemText } from '../road/problem-text.ts';

const contentType = { 'content-type': 'text/plain; charset=utf-8' };

/** An error as a sentence: `useChat` has the text of the answer as the message of its error, which pages show to people. */
export function chatProblem(problem: Problem): Problem {
  return { status: problem.status, body: problemText(problem), headers: { ...problem.headers, ...contentType } };
}
