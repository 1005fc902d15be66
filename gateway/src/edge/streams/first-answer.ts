import { MeshError } from '@agentmesh/lib/rpc';

const firstAnswerMs = 30_000;
const notInTime = new MeshError('deadline_exceeded', 'deadline_exceeded', 'The service did not answer in time.');

/**
 * The first answer of a stream whose call `reading` ends, aborted with `late` when it does not come within 30 s. Once a stream has begun,
 * its reader decides how long it takes.
 */
export async function firstAnswer<T>(
  answers: AsyncIterator<T>,
  reading: AbortController,
  late: Error = notInTime,
): Promise<IteratorResult<T>> {
  const deadline = setTimeout(() => reading.abort(late), firstAnswerMs);
  return answers.next().finally(() => clearTimeout(deadline));
}
