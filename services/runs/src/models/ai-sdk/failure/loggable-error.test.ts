import { APICallError, JSONParseError } from '@ai-sdk/provider';
import { expect, test } from 'vitest';
import { errorFacts, loggableError } from './loggable-error.ts';

const refused = Object.assign(new Error('connect to secret'), { code: 'ECONNREFUSED' });
const apiCall = { url: 'http://h', requestBodyValues: { text: 'secret' }, responseBody: 'secret' };

test('an error of the SDK is logged by class, status, code and place, without its message', () => {
  const parse = new JSONParseError({ text: 'secret answer\n    at secret', cause: new SyntaxError('secret') });
  const call = new APICallError({ ...apiCall, message: 'secret', statusCode: 500, cause: refused });
  expect(loggableError(call)).toMatchObject({ type: 'AI_APICallError', status: 500, code: 'ECONNREFUSED' });
  expect(loggableError(parse)).toMatchObject({ type: 'AI_JSONParseError' });
  for (const error of [parse, call, new Error('secret', { cause: call })]) {
    expect(JSON.stringify(loggableError(error))).not.toContain('secret');
  }
});

test('other errors are logged whole', () => {
  expect(loggableError(refused)).toBe(refused);
  expect(errorFacts('secret')).toEqual({ type: 'string' });
});
