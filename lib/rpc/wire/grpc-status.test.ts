import { status } from '@grpc/grpc-js';
import { expect, test } from 'vitest';
import { fromStatus } from './grpc-status.ts';

/** A failure that grpc-js made itself. */
function failure(code: status, details: string): Error {
  return Object.assign(new Error(details), { code, details });
}

test.each([
  'Received RST_STREAM with code 1',
  'Received RST_STREAM with code 0 (Call ended without gRPC status)',
  'Received RST_STREAM with code 2 triggered by internal client error: Protocol error',
])('a stream that broke is unavailable: %s', (details) => {
  expect(fromStatus(failure(status.INTERNAL, details), 'sessions')).toMatchObject({
    code: 'unavailable',
    reason: 'service_unavailable',
  });
});

test('an answer that cannot be read stays internal', () => {
  expect(fromStatus(failure(status.INTERNAL, 'Error parsing response'), 'sessions').code).toBe('internal');
});
