import { readdirSync } from 'node:fs';
import { join, sep } from 'node:path';
import { expect, test } from 'vitest';
import { filesUnder, read } from './imports.ts';

const services = readdirSync(new URL('../../services', import.meta.url), { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => join('services', entry.name, 'src'));
const isTest = (file: string): boolean =>
  file.endsWith('.test.ts') || (file.split(sep).at(-2) ?? '').startsWith('test');
const sources = ['lib', 'gateway/src', ...services]
  .flatMap(filesUnder)
  .filter((file) => /\.m?ts$/.test(file) && !isTest(file));

const time = 'the time of an event, which nothing is decided by';
const signed = 'the validity of a signed token';
const header = 'a date that an upstream or gRPC gives';
/**
 * Files that read the wall clock, with the reason. Clocks of two processes differ, and steps of a clock make a duration wrong: durations are measured with
 * performance.now(), and what processes share is judged by the database's now().
 */
const allowed: Readonly<Record<string, string>> = {
  'gateway/src/edge/authentication/access-token.ts': signed,
  'gateway/src/edge/authentication/bearer.ts': signed,
  'gateway/src/edge/authentication/run-tickets.ts': signed,
  'gateway/src/doors/openai/chat/chat-answer.ts': 'when an answer was made, which is only shown',
  'gateway/src/export/export-route.ts': 'when an export was made, which is only shown',
  'gateway/src/keys/export.ts': 'the last day of a report that names none',
  'gateway/src/keys/usage/usage-days.ts': 'the last day of a report that names none',
  'gateway/src/runs/event-frames.ts': time,
  'gateway/src/runs/live/conversation.ts': time,
  'lib/pg/ordered-uuid.ts': 'the place of a new row in an index, which nothing is decided by',
  'lib/rpc/call/rules.ts': header,
  'lib/rpc/client/caller-stream.ts': header,
  'lib/rpc/client/renewed-connection.ts': header,
  'lib/rpc/identity/identity-token.ts': signed,
  'lib/rpc/identity/token-check.ts': signed,
  'lib/rpc/server/grpc-handlers.ts': header,
  'lib/spans/watch-spans.ts': 'times of spans, which nothing is decided by',
  'services/auth/src/mail/file-post.ts': 'the age of a file of this machine',
  'services/auth/src/rpc/accounts/sign-up.ts': 'times of a row that are only shown',
  'services/auth/src/tokens/access-token.ts': signed,
  'services/keys/src/agent-identity/retry-after.ts': header,
  'services/runs/src/apps/tools/get-current-time.ts': 'the answer of a tool',
  'services/runs/src/apps/turns/history/turn-session.ts': time,
  'services/runs/src/execution/compaction/summarize-session.ts': time,
  'services/runs/src/execution/tracing/attempt-log.ts': time,
  'services/runs/src/models/ai-sdk/failure/retry-after.ts': header,
  'services/sessions/src/events/stored-event.ts': time,
  'services/sessions/src/events/user-event.ts': time,
  'services/sessions/src/history/plan-rewind.ts': time,
  'services/sessions/src/rpc/create-session.ts': time,
  'services/sessions/src/rpc/runs/in-new-session.ts': time,
  'services/sessions/src/store/compactions.ts': time,
  'services/sessions/src/store/histories.ts': time,
  'services/sessions/src/store/ledger/cancels.ts': time,
  'services/sessions/src/store/ledger/run-messages.ts': time,
  'services/sessions/src/turns/closing-event.ts': time,
  'services/sessions/src/turns/run-usage.ts':
    'seconds since an event, never more than the database counts since the run was stored',
  'services/transcription/src/upstream/retry-after.ts': header,
  'services/webhooks/src/clock.ts': 'tells how far it is from the clock of the database',
  'services/webhooks/src/mail/google/gmail-error.ts': header,
  'services/webhooks/src/mail/microsoft/graph-error.ts': header,
};
const readers = sources.filter((file) => /\bDate\.now\b|\bnew Date\(\)/.test(read(file)));

test('only files that are named with a reason read the wall clock', () => {
  expect(readers.filter((file) => allowed[file] === undefined)).toEqual([]);
});

test('every named file reads it', () => {
  expect(Object.keys(allowed).filter((file) => !readers.includes(file))).toEqual([]);
});
