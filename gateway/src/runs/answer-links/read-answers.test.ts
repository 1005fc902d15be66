import { describe, expect, test } from 'vitest';
import { openBytes } from '../../edge/bodies/body-limits.ts';
import { answerPage, longestAnswer } from './answer-page.ts';
import type { AskedCall } from './asked-call.ts';
import { readAnswers } from './read-answers.ts';

const token = 'x'.repeat(43);

function callsOf(texts: number, approvals = 0): AskedCall[] {
  const asked = { name: 'ask', tool: 'ask', hint: 'Which city?', args: undefined };
  const isApproval = (index: number) => index >= texts;
  return Array.from({ length: texts + approvals }, (_, n) => ({ ...asked, id: `c${n}`, isApproval: isApproval(n) }));
}

const fieldsOf = (calls: readonly AskedCall[], text: string) =>
  Object.fromEntries(calls.map(({ isApproval }, n) => [`answer${n}`, isApproval ? 'approve' : text]));

describe('the longest texts that a page allows', () => {
  test.each([
    [1, 0],
    [2, 3],
    [20, 0],
  ])('to %i questions and %i approvals fit in a form, in any language', (texts, approvals) => {
    const calls = callsOf(texts, approvals);
    const longest = longestAnswer(calls);
    const html = answerPage({ appName: 'a', sessionId: 's', token, calls });
    expect(html.match(/(?<=maxlength=")\d+/g)).toEqual(Array.from({ length: texts }, () => String(longest)));
    for (const text of ['你'.repeat(longest), '\r\n'.repeat(longest - 1) + '.']) {
      const fields = fieldsOf(calls, text);
      expect(new URLSearchParams({ token, ...fields }).toString().length).toBeLessThan(openBytes);
      expect(readAnswers(calls, fields)).toHaveProperty('responses.length', calls.length);
    }
    expect(readAnswers(calls, fieldsOf(calls, 'a'.repeat(longest + 1)))).toHaveProperty('fault');
  });
});

test('an answer has line ends as the user has made them, not as browsers send them', () => {
  const response = { result: 'one\ntwo' };
  expect(readAnswers(callsOf(1), { answer0: 'one\r\ntwo' })).toMatchObject({ responses: [{ response }] });
});
