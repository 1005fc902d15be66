import type { AgentMesh, Answers, NamedRun, Run, RunEvent, RunStream } from '../index.ts';
import { idOf } from '../runs/named-run.ts';
import { createTextReader } from '../runs/run-text.ts';
import { asError } from './as-error.ts';

/** A run as it is now. */
export interface RunView {
  /** `idle` before the first run, `sent` until its id is known. */
  readonly status: 'idle' | 'sent' | Run['status'];
  readonly id: string | undefined;
  /** The words of the agents so far. */
  readonly text: string;
  readonly events: readonly RunEvent[];
  /** Record of the run, when it has ended or waits for a person. */
  readonly record: Run | undefined;
  readonly error: Error | undefined;
}

export const idle: RunView = {
  status: 'idle',
  id: undefined,
  text: '',
  events: [],
  record: undefined,
  error: undefined,
};

/** How long events are collected before they are shown together: about a frame of a screen. */
const frameMs = 16;

/** Reads a run and tells how it looks, until `leave`. */
export class ShownRun {
  readonly run: Promise<NamedRun>;
  readonly #mesh: AgentMesh;
  readonly #onView: (view: RunView) => void;
  readonly #leaving = new AbortController();
  readonly #events: RunEvent[] = [];
  readonly #textOf = createTextReader();
  #stream: RunStream | undefined;
  #view: RunView = { ...idle, status: 'sent' };
  #text = '';

  constructor(mesh: AgentMesh, run: Promise<NamedRun>, onView: (view: RunView) => void) {
    this.run = run;
    this.#mesh = mesh;
    this.#onView = onView;
    this.#onView(this.#view);
    this.#begin().catch((thrown: unknown) => this.#tell({ status: 'failed', error: asError(thrown) }));
  }

  /** Stops reading. The run goes on. */
  leave(): void {
    this.#leaving.abort();
  }

  async answer(answers: Answers): Promise<void> {
    const stream = this.#stream;
    if (stream === undefined) throw new Error('The run does not wait for an answer.');
    await stream.answer(answers);
    this.#tell({ status: 'running', record: undefined });
    this.#read(stream).catch((thrown: unknown) => this.#tell({ status: 'failed', error: asError(thrown) }));
  }

  async #begin(): Promise<void> {
    const run = await this.run;
    const onQueued = (): void => this.#tell({ status: 'queued' });
    this.#stream = this.#mesh.runs.watch(run, { signal: this.#leaving.signal, onQueued });
    this.#tell({ id: idOf(run), status: 'running' });
    await this.#read(this.#stream);
  }

  async #read(run: RunStream): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const show = (): void => {
      timer = undefined;
      this.#tell({ status: 'running', events: [...this.#events], text: this.#text });
    };
    try {
      for await (const event of run) {
        this.#events.push(event);
        this.#text += this.#textOf(event);
        timer ??= setTimeout(show, frameMs);
      }
    } finally {
      clearTimeout(timer);
      show();
    }
    const { record } = await run.final();
    this.#tell({ record, status: record.status });
  }

  #tell(news: Partial<RunView>): void {
    if (this.#leaving.signal.aborted) return;
    this.#view = { ...this.#view, ...news };
    this.#onView(this.#view);
  }
}
