import type { Event, Run } from '../records.ts';
import { idOf, type NamedRun } from './named-run.ts';
import { RunLog, type RunEvent, type RunLogOptions } from './run-log.ts';
import { answerOf, createTextReader } from './run-text.ts';
import type { Answers } from './answers.ts';

/** Actions on a run. */
export interface RunControls {
  cancel(run: NamedRun): Promise<Run>;
  steer(run: NamedRun, text: string): Promise<Run>;
  answer(run: NamedRun, answers: Answers, record?: Run): Promise<Run>;
}

/** The end of a run, or its stop where it waits for a person. */
export interface FinalRun {
  /** Text of the agent's last message. */
  readonly text: string;
  /** Whole events, in order. */
  readonly events: readonly Event[];
  /** `status` tells how the run ended. A failed run is no exception: `errorCode` and `errorMessage` tell why. */
  readonly record: Run;
}

/**
 * A run that is being watched. Iterate it for its events, or `text` for its words; `final()` waits for the end. It begins at once and goes on
 * whatever its watchers do. A loop that comes after another one goes on where that one stopped, also after an `answer`.
 */
export class RunStream implements AsyncIterable<RunEvent> {
  /** The run's `invocationId`. Rejects when the run could not be started. */
  readonly id: Promise<string>;
  readonly #run: Promise<NamedRun>;
  readonly #runs: RunControls;
  readonly #log: RunLog;
  #next = 0;
  #nextText = 0;
  readonly #textOf = createTextReader();

  constructor(runs: RunControls, options: RunLogOptions) {
    this.#run = options.run;
    this.id = options.run.then(idOf);
    // Readers of the stream get the failure too.
    this.id.catch(() => undefined);
    this.#runs = runs;
    this.#log = new RunLog(options);
  }

  /** Id of the last event that was read, for `runs.watch(id, { after })`. */
  get lastEventId(): string | undefined {
    return this.#log.lastId;
  }

  /** Record of the run, when the stream has ended. */
  get record(): Run | undefined {
    return this.#log.record;
  }

  /** The events, from the first on. */
  async *[Symbol.asyncIterator](): AsyncGenerator<RunEvent> {
    this.#log.enter();
    try {
      while (await this.#log.has(this.#next)) yield this.#log.events[this.#next++] as RunEvent;
    } finally {
      await this.#log.leave();
    }
  }

  /** The words of the agents as they come. */
  get text(): AsyncIterable<string> {
    return { [Symbol.asyncIterator]: () => this.#texts() };
  }

  /** Reads to the end, or to where the run waits for a person. */
  async final(): Promise<FinalRun> {
    this.#log.enter();
    try {
      while (await this.#log.has(this.#log.events.length));
    } finally {
      await this.#log.leave();
    }
    const isWhole = (event: RunEvent): event is Event => event.gap === undefined && event.partial !== true;
    const events = this.#log.events.filter(isWhole);
    return { text: answerOf(events), events, record: this.#log.record as Run };
  }

  /** Stops the run. */
  async cancel(): Promise<Run> {
    return this.#runs.cancel(await this.#run);
  }

  /** Adds a message to the run; the agent sees it before its next call of the model. */
  async steer(text: string): Promise<Run> {
    return this.#runs.steer(await this.#run, text);
  }

  /**
   * Answers what the run waits for: `{ confirmed: true }` for an approval, or the result of a call. With `id` and `name` the answer is for that call;
   * without, for the only one that is waited for. Then the stream goes on.
   */
  async answer(response: Answers): Promise<Run> {
    const record = await this.#runs.answer(await this.#run, response, this.#log.record);
    this.#log.goOn();
    return record;
  }

  async *#texts(): AsyncGenerator<string> {
    this.#log.enter();
    try {
      while (await this.#log.has(this.#nextText)) {
        const piece = this.#textOf(this.#log.events[this.#nextText++] as RunEvent);
        if (piece !== '') yield piece;
      }
    } finally {
      await this.#log.leave();
    }
  }
}
