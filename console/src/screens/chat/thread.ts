import { AgentMeshError, type Content, type Event, type Run, type RunEvent, type SessionName } from '@agentmesh/client';
import { type Signal, signal } from '@preact/signals';
import { mesh } from '../../data/client.ts';
import { keepNewest } from '../../data/newest.ts';
import { invalidate } from '../../data/query.ts';
import { countWaiting } from '../../data/waiting.ts';
import { textOfError } from '../../kit/toasts.tsx';
import { t } from '../../texts.ts';
import { type Draft, draftWith, speakerOf } from './drafts.ts';
import { type NewChat, nothingUnsent, type Unsent } from './unsent.ts';

/** Events that a page of the history has. */
const pageSize = 200;
const openStates: ReadonlySet<string> = new Set(['queued', 'running', 'waiting']);

/** A conversation: its events, what its agent is saying, and its run. It goes on while another screen is shown. */
export class Thread {
  readonly place: SessionName;
  /** The message that is being written. */
  unsent: Unsent = nothingUnsent();
  readonly events: Signal<readonly Event[]> = signal([]);
  /** Words of messages that have not ended, by speaker. */
  readonly drafts: Signal<ReadonlyMap<string, Draft>> = signal(new Map());
  /** A message that the server has not told us of yet. */
  readonly sent: Signal<Content | undefined> = signal(undefined);
  readonly run: Signal<Run | undefined> = signal(undefined);
  readonly isRunning = signal(false);
  readonly queuePlace: Signal<number | undefined> = signal(undefined);
  readonly error: Signal<Error | undefined> = signal(undefined);
  readonly isLoaded = signal(false);
  readonly isGapped = signal(false);
  /** Cursor of the events before the first one; undefined when all are there. */
  readonly #earlier: Signal<string | undefined> = signal(undefined);
  #lastId: string | undefined;

  constructor(place: SessionName) {
    this.place = place;
  }

  get hasEarlier(): boolean {
    return this.#earlier.value !== undefined;
  }

  /** Reads the history, and watches the run that is not over. */
  async load(): Promise<void> {
    this.error.value = undefined;
    try {
      const [{ items, next }, run] = await Promise.all([this.#page(), this.#presentRun()]);
      this.#takeNewest(items.toReversed(), next);
      this.isLoaded.value = true;
      // A message that was sent meanwhile has a run of its own.
      if (this.isRunning.value) return;
      this.run.value = run;
      if (run !== undefined && openStates.has(run.status)) void this.#watch(run);
    } catch (error) {
      this.error.value = error instanceof Error ? error : new Error(String(error));
    }
  }

  /** Reads the conversation again when another tab or program goes on with it. */
  async follow(): Promise<void> {
    if (!this.isLoaded.peek() || this.isRunning.peek()) return;
    const [now, known] = [await this.#presentRun(), this.run.peek()];
    const isOther = now?.invocationId !== known?.invocationId || now?.status !== known?.status;
    // A run goes on unwatched when the server was away for longer than its stream tried to come back.
    const isUnwatched = now?.status === 'queued' || now?.status === 'running';
    if ((isOther || isUnwatched) && !this.isRunning.peek()) await this.load();
  }

  async loadEarlier(): Promise<void> {
    const { items, next } = await this.#page(this.#earlier.value);
    this.#earlier.value = next;
    this.events.value = [...this.#unknown(items.toReversed()), ...this.events.value];
  }

  async send(message: Content): Promise<void> {
    this.sent.value = message;
    this.isLoaded.value = true;
    this.isRunning.value = true;
    try {
      const { app, user, session } = this.place;
      this.run.value = await mesh.runs.start({ app, user, session, message, streaming: true });
      this.#lastId = undefined;
      void this.#watch(this.run.value);
    } catch (error) {
      this.sent.value = undefined;
      this.isRunning.value = false;
      throw error;
    }
  }

  async stop(): Promise<void> {
    if (this.run.value !== undefined) await mesh.runs.cancel(this.run.value);
  }

  async steer(text: string): Promise<void> {
    if (this.run.value !== undefined) await mesh.runs.steer(this.run.value, text);
  }

  async answer(id: string, name: string, response: Readonly<Record<string, unknown>>): Promise<void> {
    const run = this.run.value;
    if (run === undefined) throw new Error(t.asked.noRun);
    this.isRunning.value = true;
    try {
      this.run.value = await mesh.runs.answer(run, { id, name, response }, run);
    } catch (error) {
      this.isRunning.value = false;
      throw error;
    }
    void countWaiting().catch(() => undefined);
    await this.#watch(run);
  }

  async #watch(run: Run): Promise<void> {
    this.isRunning.value = true;
    const stream = mesh.runs.watch(run, {
      after: this.#lastId,
      onQueued: (place) => (this.queuePlace.value = place),
    });
    try {
      for await (const event of stream) this.#take(event);
      this.#lastId = stream.lastEventId;
      this.run.value = stream.record;
    } catch (error) {
      const status = error instanceof AgentMeshError ? error.status : 0;
      this.run.value = status === 0 ? this.run.value : await mesh.runs.get(run).catch(() => this.run.value);
      this.error.value = new Error(textOfError(error));
      // A look from here would watch the run again, at once and without end.
      return this.#rest();
    }
    await this.#rest();
    await Promise.all([countWaiting(), invalidate('sessions?', 'session:', 'runs')]).catch(() => undefined);
  }

  async #rest(): Promise<void> {
    this.isRunning.value = false;
    this.queuePlace.value = undefined;
    this.drafts.value = new Map();
    this.isGapped.value = false;
    const { items } = await this.#page().catch(() => ({ items: [] as Event[] }));
    this.#add(items.toReversed());
    this.sent.value = undefined;
  }

  /** The run that is not over, else the latest one. */
  async #presentRun(): Promise<Run | undefined> {
    const { items } = await mesh.sessions.runs(this.place, { limit: 5 }).page();
    return items.find(({ status }) => openStates.has(status)) ?? items[0];
  }

  #page(cursor?: string) {
    return mesh.sessions.events(this.place, { order: 'desc', limit: pageSize }).page(cursor);
  }

  #take(event: RunEvent): void {
    this.queuePlace.value = undefined;
    if (event.gap !== undefined) {
      this.isGapped.value = true;
    } else if (event.partial === true) {
      this.drafts.value = draftWith(this.drafts.value, event);
    } else {
      const drafts = new Map(this.drafts.value);
      drafts.delete(speakerOf(event));
      this.drafts.value = drafts;
      this.isGapped.value = false;
      this.#add([event]);
    }
  }

  /** Takes the newest page. Events before a gap, for which too many are new, are left out: they are behind the page's cursor. */
  #takeNewest(page: readonly Event[], before: string | undefined): void {
    if (this.#unknown(page).length === page.length) {
      const from = page[0]?.timestamp ?? 0;
      this.events.value = this.events.value.filter(({ timestamp = 0 }) => timestamp > from);
      this.#earlier.value = before;
    }
    this.#add(page);
  }

  #unknown(events: readonly Event[]): readonly Event[] {
    const known = new Set(this.events.value.map(({ id }) => id));
    return events.filter(({ id }) => id === undefined || !known.has(id));
  }

  #add(events: readonly Event[]): void {
    const fresh = this.#unknown(events);
    if (fresh.some(({ author }) => author === 'user')) this.sent.value = undefined;
    if (fresh.length === 0) return;
    this.events.value = [...this.events.value, ...fresh].toSorted((a, b) => (a.timestamp ?? 0) - (b.timestamp ?? 0));
  }
}

const threads = new Map<string, Thread>();
/** Conversations that are kept for those who come back, beside those that run or have a message that is being written. */
const mostResting = 10;

function isUsed({ isRunning, unsent: { text, files } }: Thread): boolean {
  return isRunning.peek() || text.peek() !== '' || files.peek().length > 0;
}

/** The conversation of a session. It is read again when it is opened and nothing runs. */
export function threadOf(place: SessionName): Thread {
  const key = JSON.stringify(place);
  const thread = threads.get(key) ?? new Thread(place);
  keepNewest(threads, [key, thread], { most: mostResting, isUsed });
  return thread;
}

/** The conversation of which a later message is edited. */
export function sourceOf({ app, user, edits, after }: NewChat): Thread | undefined {
  return edits === undefined || after === undefined ? undefined : threadOf({ app, user, session: edits });
}

/** Begins a conversation: a new one, or a copy of another up to the message that is edited. */
export async function beginThread(chat: NewChat): Promise<Thread> {
  const { app, user, after: eventId } = chat;
  const source = sourceOf(chat);
  if (source === undefined || eventId === undefined) {
    const { id } = await mesh.sessions.create({ app, user });
    return threadOf({ app, user, session: id });
  }
  const { id } = await mesh.sessions.fork(source.place, { eventId });
  const copy = threadOf({ app, user, session: id });
  await copy.load();
  const error = copy.error.peek();
  if (error !== undefined) throw error;
  return copy;
}
