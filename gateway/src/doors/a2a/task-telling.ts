import { type Message, type Part, Role, type StreamResponse, type Task, TaskState } from '@a2a-js/sdk';
import { parseExactly } from '@agentmesh/proto/exact-json';
import type { RunFrame } from '@agentmesh/proto/runs/v1';
import { type LedgerRun, RunStatus } from '@agentmesh/proto/sessions/v1';
import { createTeller, type Piece } from '../road/pieces.ts';
import type { DoorRun } from '../road/start-run.ts';
import type { RunPlace } from '../road/watch-run.ts';
import { waitingCalls } from '../road/waiting-calls.ts';
import { dataPart, filePart, fromMeshPart, type MeshPart, textPart, thoughtPart } from './parts.ts';
import { questionOf } from './waiting.ts';

const states: Readonly<Record<RunStatus, TaskState>> = {
  [RunStatus.UNSPECIFIED]: TaskState.TASK_STATE_UNSPECIFIED,
  [RunStatus.QUEUED]: TaskState.TASK_STATE_SUBMITTED,
  [RunStatus.RUNNING]: TaskState.TASK_STATE_WORKING,
  [RunStatus.WAITING]: TaskState.TASK_STATE_INPUT_REQUIRED,
  [RunStatus.COMPLETED]: TaskState.TASK_STATE_COMPLETED,
  [RunStatus.FAILED]: TaskState.TASK_STATE_FAILED,
  [RunStatus.CANCELLED]: TaskState.TASK_STATE_CANCELED,
  [RunStatus.INTERRUPTED]: TaskState.TASK_STATE_CANCELED,
};

type Frame = Pick<RunFrame, 'seq' | 'partial' | 'json'>;

/** An event of the run at its place, or its end. */
type News = { readonly frame: Frame } | { readonly end: LedgerRun };

/** A text or a thought that is being said. */
interface Saying {
  /** Its place among the texts and thoughts, from 1. */
  readonly number: number;
  readonly words: 'text' | 'thought';
  readonly author: string;
  /** Its text so far, as it was told. */
  told: string;
  /** The words that are told next. */
  untold: string;
}

/** A piece of a text is told when it is at least this part of what was told before: a long text has some hundred pieces, and clients bound the lines of an answer. */
const smallestPart = 1 / 128;

/**
 * Tells a run as a task. Each text of its agents is an artifact: its words are appended, and the whole text takes their place at its end, as ADK does it, so
 * words that were lost come with it. The words of an executor that died are taken back. Thoughts, calls of tools and their
 * results are messages of the working task.
 */
export class TaskTelling {
  /** The task as it has been told. */
  readonly task: Task;
  /** Behind the newest event that was told. */
  place: RunPlace = { seq: 0, partial: 0 };
  readonly #teller = createTeller();
  readonly #sayings = new Map<string, Saying>();
  /** Numbers of sayings whose executor died: the next ones take their places. */
  readonly #left: number[] = [];
  #numbered = 0;
  #messages = 0;
  #files = 0;

  constructor({ invocationId: id, sessionId: contextId }: DoorRun, status = RunStatus.QUEUED) {
    this.task = { id, contextId, status: statusOf(states[status]), artifacts: [], history: [], metadata: undefined };
  }

  /** Takes the next piece of news about the run; returns what it changes. */
  take(told: News): StreamResponse[] {
    if ('end' in told) return [...this.#teller.end().flatMap((piece) => this.#tell(piece)), this.#end(told.end)];
    const { frame } = told;
    const { seq, partial } = frame;
    this.place = { seq, partial };
    const begun = this.task.status?.state === TaskState.TASK_STATE_WORKING ? [] : [this.#working()];
    if (this.#takeMessage(frame)) return begun;
    const pieces = this.#teller.add(frame);
    const closed = new Set(pieces.flatMap((piece) => (piece.kind === 'close' ? piece.id : [])));
    // The whole text comes with the same event: its last words by themselves would be told twice.
    const shown = pieces.flatMap((piece) => this.#tell(piece, piece.kind === 'delta' && closed.has(piece.id)));
    return [...begun, ...shown];
  }

  /** A task that was answered waits no more. */
  resume(): void {
    this.task.status = statusOf(TaskState.TASK_STATE_WORKING);
  }

  /** The status of a task that was told something else than what it waits for. */
  askAgain(run: LedgerRun): StreamResponse {
    return this.#end(run, [textPart('This answers no call that the task waits for.'), ...endParts(run)]);
  }

  /** Keeps a message of the user in the history. */
  #takeMessage({ json, partial }: Frame): boolean {
    if (partial !== 0 || json.length === 0) return false;
    const event = parseExactly(Buffer.from(json).toString()) as StoredMessage;
    if (event.author !== 'user') return false;
    const parts = (event.content?.parts ?? []).flatMap(fromMeshPart);
    this.task.history.push({ ...this.#messageOf(parts), messageId: event.id, role: Role.ROLE_USER });
    return true;
  }

  #tell(piece: Piece, isSilent = false): StreamResponse[] {
    switch (piece.kind) {
      case 'open':
        this.#open(piece);
        return [];
      case 'delta':
        return this.#say(piece, isSilent);
      case 'close':
        return piece.isLeft === true ? this.#leave(piece.id) : this.#close(piece.id);
      case 'call': {
        const { id, name, args } = piece;
        return [this.#working([dataPart('function_call', { id, name, args })])];
      }
      case 'result': {
        const { id, name, response } = piece;
        return [this.#working([dataPart('function_response', { id, name, response })])];
      }
      case 'file':
        this.#files += 1;
        return [this.#artifact({ id: `file-${this.#files}`, author: '', parts: [filePart(piece)], lastChunk: true })];
    }
  }

  #open({ id, words, author }: Extract<Piece, { kind: 'open' }>): void {
    const number = this.#left.shift() ?? ++this.#numbered;
    this.#sayings.set(id, { number, words, author, told: '', untold: '' });
  }

  #say({ id, text }: { readonly id: string; readonly text: string }, isSilent: boolean): StreamResponse[] {
    const saying = this.#sayings.get(id) as Saying;
    const { number, words, author, told } = saying;
    const next = saying.untold + text;
    const isTold = !isSilent && next.length >= told.length * smallestPart;
    saying.told = isTold ? told + next : told;
    saying.untold = isTold ? '' : next;
    if (!isTold) return [];
    if (words === 'thought') return [this.#working([thoughtPart(next)])];
    return [this.#artifact({ id: `text-${number}`, author, parts: [textPart(next)], append: told !== '' })];
  }

  #close(id: string): StreamResponse[] {
    const { number, words, author, told, untold } = this.#sayings.get(id) as Saying;
    this.#sayings.delete(id);
    if (words === 'text')
      return [this.#artifact({ id: `text-${number}`, author, parts: [textPart(told + untold)], lastChunk: true })];
    return untold === '' ? [] : [this.#working([thoughtPart(untold)])];
  }

  /** Takes back words whose executor died. Clients keep an empty artifact where no text takes its place: the protocol removes none. */
  #leave(id: string): StreamResponse[] {
    const { number, words, author, told } = this.#sayings.get(id) as Saying;
    const artifactId = `text-${number}`;
    const isShown = words === 'text' && told !== '';
    const emptied = isShown ? [this.#artifact({ id: artifactId, author, parts: [textPart('')] })] : [];
    this.#sayings.delete(id);
    this.#left.push(number);
    this.task.artifacts = this.task.artifacts.filter((known) => known.artifactId !== artifactId);
    return emptied;
  }

  #artifact({ id, author, parts, append = false, lastChunk = false }: Chunk): StreamResponse {
    const artifact = { artifactId: id, name: author, description: '', parts, metadata: undefined, extensions: [] };
    const { artifacts } = this.task;
    const known = artifacts.find(({ artifactId }) => artifactId === id);
    // A piece is sent later than the next words may be added.
    if (known === undefined) artifacts.push({ ...artifact, parts: [...parts] });
    else if (append) known.parts.push(...parts);
    else known.parts = [...parts];
    return {
      payload: { $case: 'artifactUpdate', value: { ...this.#named, artifact, append, lastChunk, metadata: undefined } },
    };
  }

  #working(parts?: Part[]): StreamResponse {
    const message = parts && this.#messageOf(parts);
    if (message !== undefined) this.task.history.push(message);
    return this.#status(statusOf(TaskState.TASK_STATE_WORKING, { message }));
  }

  #end(run: LedgerRun, parts = endParts(run)): StreamResponse {
    const message = parts.length === 0 ? undefined : this.#messageOf(parts);
    const time = run.endTime === 0 ? undefined : new Date(run.endTime * 1000);
    return this.#status(statusOf(states[run.status], { message, time }));
  }

  #status(status: NonNullable<Task['status']>): StreamResponse {
    this.task.status = status;
    return { payload: { $case: 'statusUpdate', value: { ...this.#named, status, metadata: undefined } } };
  }

  get #named() {
    return { taskId: this.task.id, contextId: this.task.contextId };
  }

  #messageOf(parts: Part[]): Message {
    this.#messages += 1;
    const messageId = `${this.task.id}-${this.#messages}`;
    const rest = { metadata: undefined, extensions: [], referenceTaskIds: [] };
    return { ...this.#named, messageId, role: Role.ROLE_AGENT, parts, ...rest };
  }
}

interface StoredMessage {
  readonly id: string;
  readonly author: string;
  readonly content?: { readonly parts?: readonly MeshPart[] };
}

interface Chunk {
  readonly id: string;
  readonly author: string;
  readonly parts: Part[];
  readonly append?: boolean;
  readonly lastChunk?: boolean;
}

function statusOf(
  state: TaskState,
  { message, time }: { readonly message?: Message | undefined; readonly time?: Date | undefined } = {},
): NonNullable<Task['status']> {
  return { state, message, timestamp: time?.toISOString() };
}

/** Says why a run has ended, or what it waits for: in words, and as the call to which ADK's clients answer. */
function endParts(run: LedgerRun): Part[] {
  if (run.status === RunStatus.FAILED) return [textPart(run.errorMessage || run.errorCode)];
  if (run.status === RunStatus.INTERRUPTED) return [textPart('A newer message of the conversation took its place.')];
  return waitingCalls(run).flatMap((call) => {
    const { functionCallId: id, name, args = {} } = call;
    return [textPart(questionOf(call)), dataPart('function_call', { id, name, args }, { isAwaited: true })];
  });
}
