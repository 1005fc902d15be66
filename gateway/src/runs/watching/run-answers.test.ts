import { MeshError } from '@agentmesh/lib/rpc';
import { type RunResponse, RunResponseSchema } from '@agentmesh/proto/runs/v1';
import { create } from '@bufbuild/protobuf';
import { expect, test } from 'vitest';
import { RunAnswers } from './run-answers.ts';

const silent = new MeshError('unavailable', 'service_silent', 'The runs service does not answer any more');
const away = new MeshError('unavailable', 'service_unavailable', 'The runs service is unavailable');

function event(id: string): RunResponse {
  return create(RunResponseSchema, { kind: { case: 'event', value: { id } } });
}

async function* shown(ids: readonly string[], failure?: Error): AsyncGenerator<RunResponse> {
  for (const id of ids) yield event(id);
  if (failure !== undefined) throw failure;
}

/** Reads answers to their end, or to their failure. */
async function read(answers: RunAnswers): Promise<unknown[]> {
  const ids: unknown[] = [];
  try {
    for await (const { kind } of { [Symbol.asyncIterator]: () => answers })
      ids.push(kind.case === 'event' ? kind.value.id : kind.case);
  } catch (error) {
    ids.push(error);
  }
  return ids;
}

test('when the process of a run falls silent, another one shows the rest, and nothing twice', async () => {
  const answers = new RunAnswers(shown(['a', 'b'], silent), async () => shown(['a', 'b', 'c']));
  expect(await read(answers)).toEqual(['a', 'b', 'c']);
});

test('processes that fall silent again and again end the stream', async () => {
  let moves = 0;
  const answers = new RunAnswers(shown(['a'], silent), async () => {
    moves += 1;
    return shown(['a'], silent);
  });
  expect(await read(answers)).toEqual(['a', silent]);
  expect(moves).toBe(3);
});

test('another failure ends the stream', async () => {
  const answers = new RunAnswers(shown(['a'], away), () => Promise.reject(new Error('not asked')));
  expect(await read(answers)).toEqual(['a', away]);
});
