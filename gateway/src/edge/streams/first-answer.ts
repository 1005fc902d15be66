import { MeshError } from '@agentmesh/lib/rpc';

const firstAnswerMs = 30_000;
const notInTime = new MeshError('deadline_exceeded', 'deadline_exceeded', 'The service did not answer in time.');

/**
 * First answer of a stream. Aborts `reading` with `late` if it does not come within 30 s. There is no limit for later answers;
 * that is up to the reader.
 */
export async function firstAnswer<T>(
  answers: AsyncIterator<T>,
  reading: Pick<AbortController, 'abort'>,
  late: Error = notInTime,
): Promise<IteratorResult<T>> {
  const deadline = setTimeout(() => reading.abort(late), firstAnswerMs);
  try {
    return await answers.next();
  } finally {
    clearTimeout(deadline);
  }
}
