import { MeshError } from '@agentmesh/lib/rpc';
import type { RunResponse } from '@agentmesh/proto/runs/v1';

/** How often a run goes on at another process because its own has fallen silent. */
const mostMoves = 3;

/**
 * The answers of an accepted run. When the process that shows it falls silent, they begin again at another one, and those that were read are left out.
 */
export class RunAnswers implements AsyncIterator<RunResponse> {
  readonly #again: () => Promise<AsyncIterator<RunResponse>>;
  /** Id of the last whole event that was read. */
  #lastId = '';
  /** Whether answers are left out until that event. */
  #skips = false;
  #answers: AsyncIterator<RunResponse>;
  #moves = 0;

  constructor(answers: AsyncIterator<RunResponse>, again: () => Promise<AsyncIterator<RunResponse>>) {
    this.#answers = answers;
    this.#again = again;
  }

  /** Goes on with the answers of another process. */
  replace(answers: AsyncIterator<RunResponse>): void {
    this.#answers = answers;
  }

  async next(): Promise<IteratorResult<RunResponse>> {
    for (;;) {
      try {
        const next = await this.#answers.next();
        if (next.done === true || this.#isNew(next.value)) return next;
      } catch (error) {
        if (!isSilent(error) || this.#moves === mostMoves) throw error;
        this.#moves += 1;
        this.#answers = await this.#again();
        this.#skips = this.#lastId !== '';
      }
    }
  }

  #isNew({ kind }: RunResponse): boolean {
    if (kind.case !== 'event' || kind.value.partial) return true;
    const { id } = kind.value;
    if (!this.#skips) {
      this.#lastId = id;
      return true;
    }
    this.#skips = id !== this.#lastId;
    return false;
  }
}

function isSilent(error: unknown): boolean {
  return error instanceof MeshError && error.reason === 'service_silent';
}
