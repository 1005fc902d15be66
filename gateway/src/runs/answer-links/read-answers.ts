import { InvalidRequest } from '../../edge/errors/request-error.ts';
import { parseJsonBody } from '../../edge/json/json-text.ts';
import { isRecord } from '../../edge/validation/record.ts';
import { longestAnswer } from './answer-page.ts';
import type { AskedCall } from './asked-call.ts';

/** Fields of the form, by name. */
export type AnswerFields = Readonly<Record<string, string | undefined>>;

/** The function responses of a form, or what is wrong with it. */
export type ReadAnswers = { readonly responses: readonly object[] } | { readonly fault: string };

/** Reads the answers to all calls of the page. */
export function readAnswers(calls: readonly AskedCall[], fields: AnswerFields): ReadAnswers {
  const responses: object[] = [];
  const longest = longestAnswer(calls);
  for (const [index, call] of calls.entries()) {
    // Browsers send line ends as CRLF.
    const answer = (fields[`answer${index}`] ?? '').replaceAll('\r\n', '\n');
    if (answer.trim() === '') return { fault: 'An answer is missing.' };
    if (answer.length > longest) return { fault: `An answer has at most ${longest} characters.` };
    if (call.isApproval && answer !== 'approve' && answer !== 'reject')
      return { fault: 'Approve the call, or reject it.' };
    const response = call.isApproval ? { confirmed: answer === 'approve' } : responseOf(answer);
    responses.push({ id: call.id, name: call.name, response });
  }
  return { responses };
}

/** A JSON object as it is, and everything else as the text that it is. */
function responseOf(answer: string): object {
  try {
    const value = parseJsonBody(Buffer.from(answer));
    if (isRecord(value)) return value;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
  }
  return { result: answer };
}
