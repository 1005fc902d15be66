import type { ChildProcess } from 'node:child_process';
import type { Logger } from '@agentmesh/lib/telemetry';
import { withinDeadline } from '@agentmesh/lib/wait';
import { endGroup } from '../../../end-group.ts';
import type { HostMessage, Loaded, LoadRequest, Outcome, ToolFault, WorkerMessage } from '../protocol.ts';
import { AppFilesError } from '../../definition/mistake.ts';
import { faultOfCode, isWorkerMessage } from './check-worker-message.ts';
import type { CodeConfig } from './code-settings.ts';
import { endAfterHost } from './spawning/end-after-host.ts';
import { spawnWorker, type Walls } from './spawning/spawn-worker.ts';
import { ownFrames, ownText } from './own-frames.ts';
import { workerEnded } from './worker-ended.ts';
import { residentBytes } from './worker-memory.ts';
import { WorkerOutput } from './worker-output.ts';

/** The end of a run in the host. */
export interface RunSide {
  take(message: Extract<WorkerMessage, { run: number }>): void;
  drop(call: number): void;
  /** The worker has ended. */
  fail(error: Error): void;
  /** Its run, for the log. */
  readonly facts: { readonly invocationId: string; readonly sessionId: string };
}

export interface WorkerOptions {
  readonly request: LoadRequest;
  readonly config: CodeConfig;
  readonly log: Logger;
}

/** For code that goes on after its run. */
const runIsOver: Outcome = { error: { name: 'Error', message: 'The run is over.' } };
const watchMs = 250;
const lastWordsMs = 2_000;
/** A worker with runs that has said nothing for so long is pinged. */
const pingMs = 500;

/** A process that runs the code of one version of an app. */
export class CodeWorker {
  /** Resolves when the app is loaded. Rejects with AppFilesError, or with the error of `ended`. */
  readonly loaded: Promise<Loaded>;
  /** Resolves when the process has ended. */
  readonly ended: Promise<Error>;
  readonly #options: WorkerOptions;
  readonly #child: ChildProcess;
  readonly #output: WorkerOutput;
  readonly #runs = new Map<number, RunSide>();
  readonly #tools = new Map<number, string[]>();
  readonly #loading = Promise.withResolvers<Loaded>();
  readonly #watch: NodeJS.Timeout;
  #lastRun = 0;
  /** Why it ends. */
  #end: string | undefined;
  #crash: string | undefined;
  #isLoaded = false;
  #isLate = false;
  #wasBroken = false;
  #pingedAtMs: number | undefined;
  #isBusyTold = false;
  #answeredAtMs = performance.now();
  #lookedAtMs = performance.now();

  constructor(options: WorkerOptions, walls: Walls) {
    this.#options = options;
    const { request, config, log } = options;
    this.#child = spawnWorker(request.folder, config, walls);
    const watch = endAfterHost(this.#child);
    this.#output = new WorkerOutput(log);
    this.#output.read(this.#child.stdout);
    this.#output.read(this.#child.stderr);
    this.loaded = this.#loading.promise;
    this.loaded.catch(() => undefined);
    const ended = Promise.withResolvers<Error>();
    this.ended = ended.promise;
    this.#child.on('message', (message) => this.#hear(message));
    this.#child.on('error', (err) => {
      log.error({ err }, 'the worker of an app failed');
      // A process that could not be started never exits.
      if (this.#child.pid === undefined) ended.resolve(this.#close(null, null));
    });
    const closed = new Promise<void>((resolve) => this.#child.once('close', resolve));
    this.#child.once('exit', (code, signal) => {
      watch[Symbol.dispose]();
      endGroup(this.#child.pid, 'SIGKILL');
      // Its last words. A process that it has started and that has left its group may keep the pipes open.
      const said = withinDeadline(closed, lastWordsMs, () => undefined);
      void said.then(() => ended.resolve(this.#close(code, signal)));
    });
    this.#watch = setInterval(() => void this.#look(), watchMs).unref();
    const late = setTimeout(() => this.#stopLate(), config.loadMs);
    this.loaded.finally(() => clearTimeout(late)).catch(() => undefined);
    this.tell(request);
  }

  /** Whether it has ended by itself after it was loaded. */
  get wasBroken(): boolean {
    return this.#wasBroken;
  }

  get runs(): number {
    return this.#runs.size;
  }

  tell(message: HostMessage): void {
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  /** Adds the host's end of a run and returns the run's number. */
  add(side: RunSide): number {
    // A worker without runs says nothing, and is not busy.
    if (this.#runs.size === 0) this.#answeredAtMs = performance.now();
    const run = ++this.#lastRun;
    this.#runs.set(run, side);
    return run;
  }

  remove(run: number): void {
    this.#runs.delete(run);
    this.#tools.delete(run);
  }

  /** Ends the process, and those that its code has started. Its runs fail with `reason`. */
  stop(reason: string): void {
    this.#end ??= reason;
    endGroup(this.#child.pid, 'SIGKILL');
  }

  #stopLate(): void {
    this.#isLate = this.#end === undefined;
    this.stop(`it did not load within ${this.#options.config.loadMs / 1_000} s`);
  }

  /** Ends the process because of what its code does. */
  #break(reason: string): void {
    this.#wasBroken ||= this.#end === undefined && this.#isLoaded;
    this.stop(reason);
  }

  /** Code can send anything over the line of its worker: nothing of it may end this process. */
  #hear(message: unknown): void {
    try {
      if (!isWorkerMessage(message)) this.#refuse(message);
      // Its last messages still tell which tools ran.
      else if (this.#end === undefined || message.kind === 'tool') this.#take(message);
    } catch (err) {
      if (this.#end !== undefined) return;
      this.#options.log.warn({ err }, 'the worker of an app said what cannot be understood');
      this.#break('it said to its host what cannot be understood');
    }
  }

  /** Fails the run alone whose code has yielded what is no event, or asked for something that is no request. */
  #refuse(message: unknown): void {
    const fault = faultOfCode(message);
    const side = this.#runs.get(fault?.run ?? 0);
    if (fault === undefined || side === undefined) throw new Error('not a message');
    side.fail(new Error(fault.reason));
  }

  #take(message: WorkerMessage): void {
    this.#answeredAtMs = performance.now();
    switch (message.kind) {
      case 'loaded':
        this.#isLoaded = true;
        return this.#loading.resolve(message);
      case 'refused':
        return this.#loading.reject(new AppFilesError(message.mistakes));
      case 'pong':
        this.#pingedAtMs = undefined;
        this.#isBusyTold = false;
        return;
      case 'fault':
        return this.#tellFault(message);
      case 'crash':
        this.#crash = message.message;
        return;
      case 'drop':
        for (const side of this.#runs.values()) side.drop(message.call);
        return;
      case 'tool':
        return this.#noteTool(message);
      case 'call':
        if (!this.#runs.has(message.run)) this.tell({ kind: 'reply', call: message.call, outcome: runIsOver });
        return this.#runs.get(message.run)?.take(message);
      case 'print':
        this.#output.print(message.text, this.#runs.get(message.run)?.facts);
        return this.#runs
          .get(message.run)
          ?.take({ ...message, text: ownText(message.text, this.#options.request.folder) });
      case 'event':
      case 'missing':
      case 'unprinted':
      case 'spans':
      case 'done':
        this.#runs.get(message.run)?.take(message);
    }
  }

  #tellFault(fault: ToolFault): void {
    const { run, tool, name: type, message, stack } = fault;
    const side = this.#runs.get(run);
    this.#output.fault({ tool, ...side?.facts, err: { type, message, stack } });
    side?.take({ ...fault, stack: ownFrames(stack, this.#options.request.folder) });
  }

  /** Names the tools that run while the worker answers nothing. */
  #tellBusy(silentMs: number): void {
    this.#isBusyTold = true;
    const tools = [...this.#tools.values()].flat();
    const runs = Array.from(this.#runs.values(), ({ facts }) => facts.invocationId);
    this.#options.log.warn({ tools, runs, silentMs: Math.round(silentMs) }, 'the code of an app keeps its worker busy');
  }

  #noteTool({ run, tool, begun }: Extract<WorkerMessage, { kind: 'tool' }>): void {
    const tools = this.#tools.get(run) ?? [];
    if (begun) tools.push(tool);
    else tools.splice(tools.indexOf(tool), 1);
    if (tools.length === 0) this.#tools.delete(run);
    else this.#tools.set(run, tools);
  }

  /** Ends a worker that is too large or answers nothing. */
  async #look(): Promise<void> {
    const { memoryMb, busyMs } = this.#options.config;
    const nowMs = performance.now();
    // A host that was held up itself has not read yet what its workers have said.
    if (nowMs - this.#lookedAtMs > busyMs / 2) this.#answeredAtMs = nowMs;
    this.#lookedAtMs = nowMs;
    if (this.#runs.size > 0 && this.#pingedAtMs === undefined && nowMs - this.#answeredAtMs >= pingMs) {
      this.#pingedAtMs = nowMs;
      this.tell({ kind: 'ping', ping: nowMs });
    }
    if (this.#pingedAtMs !== undefined && !this.#isBusyTold && nowMs - this.#pingedAtMs >= pingMs) {
      this.#tellBusy(nowMs - this.#answeredAtMs);
    }
    if (this.#pingedAtMs !== undefined && nowMs - this.#answeredAtMs > busyMs) {
      this.#break(`it was busy for more than ${busyMs / 1_000} s`);
    }
    const bytes = await residentBytes(this.#child.pid ?? 0);
    if (bytes !== undefined && bytes > memoryMb * 1024 * 1024) this.#break(outOfMemory(memoryMb));
  }

  #close(code: number | null, signal: NodeJS.Signals | null): Error {
    clearInterval(this.#watch);
    const { request, config, log } = this.#options;
    const isKilled = signal === 'SIGKILL' && this.#end === undefined;
    const isHeap = this.#output.last.some((line) => line.includes('heap out of memory'));
    const reason = this.#crash ?? (isHeap ? outOfMemory(config.memoryMb) : wayOfEnding(code, signal));
    this.#break(reason);
    const end = { reason: this.#end ?? reason, tools: [...this.#tools.values()].flat() };
    const error = workerEnded(request.appName, end);
    log.info({ ...end, runs: this.#runs.size }, 'the worker of an app has ended');
    const mistake = { file: request.entry ?? '', key: '', reason: end.reason };
    this.#loading.reject(new AppFilesError([mistake], { isTimeout: this.#isLate || isKilled }));
    for (const side of this.#runs.values()) side.fail(error);
    this.#runs.clear();
    return error;
  }
}

function wayOfEnding(code: number | null, signal: NodeJS.Signals | null): string {
  if (code === null && signal === null) return 'its process could not be started';
  return `it exited with ${signal ?? `code ${code}`}`;
}

function outOfMemory(memoryMb: number): string {
  return `it used more than ${memoryMb} MB`;
}
