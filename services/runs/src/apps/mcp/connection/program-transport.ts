import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { type JSONRPCMessage, ReadBuffer, serializeMessage, type Transport } from '@modelcontextprotocol/client';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { withinDeadline } from '@agentmesh/lib/wait';
import { endGroup } from '../../../end-group.ts';
import { McpFailure } from './mcp-failure.ts';
import type { StdioServer } from './mcp-server.ts';

/** Most bytes of one message. */
const mostBytes = 4 * 1024 * 1024;
/** How long a program may take to end by itself, and then after SIGTERM. */
const graceMs = 1_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;

/** Groups of programs that run. */
const running = new Set<number>();
const endAll = (): void => {
  for (const pid of running) endGroup(pid, 'SIGKILL');
};

/**
 * Speaks with a program over its standard input and output. The program leads a process group of its own: when it ends, what it has started ends with
 * it, and none of them outlives this process. It gets no variable of this process but PATH, HOME and their like: settings hold secrets.
 */
export class ProgramTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: NonNullable<Transport['onmessage']>;
  /** The client reads this and the next two: it asks a second process of the same program which era of the protocol it speaks. */
  readonly _serverParams: StdioServer;
  readonly stderr = null;
  readonly #input = new ReadBuffer({ maxBufferSize: mostBytes });
  #child: Child | undefined;
  #ended: Promise<void> | undefined;

  constructor(server: StdioServer) {
    this._serverParams = server;
  }

  get pid(): number | null {
    return this.#child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this._serverParams;
    const child = spawn(command, args, {
      env: { ...getDefaultEnvironment(), ...env },
      stdio: ['pipe', 'pipe', 'ignore'],
      detached: true,
      ...(cwd !== undefined && { cwd }),
    });
    // A process without descriptors gets a child without pipes: it has no more than the error, which ends the process when nobody hears it.
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    child.once('error', reject);
    child.once('spawn', resolve);
    child.once('close', () => this.onclose?.());
    await promise;
    this.#child = child;
    this.#ended = new Promise((end) => child.once('exit', () => end(this.#clear(child))));
    for (const part of [child, child.stdin, child.stdout]) part.on('error', (error) => this.onerror?.(error));
    child.stdout.on('data', (chunk: Buffer) => this.#read(chunk));
    if (child.pid === undefined) return;
    if (running.size === 0) process.once('exit', endAll);
    running.add(child.pid);
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#child ?? {};
    if (stdin === undefined || !stdin.writable) throw new McpFailure('The MCP server closed the connection.');
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    stdin.write(serializeMessage(message), (error) => (error ? reject(error) : resolve()));
    await promise;
  }

  /** Lets the program end by itself, then ends it. Resolves when it has ended. */
  async close(): Promise<void> {
    this.#child?.stdin.end();
    if (await this.#endsWithin(graceMs)) return;
    await this._dispose();
  }

  /** Ends the program; called by the client for the second process too. */
  async _dispose(): Promise<void> {
    const { pid } = this.#child ?? {};
    endGroup(pid, 'SIGTERM');
    if (await this.#endsWithin(graceMs)) return;
    endGroup(pid, 'SIGKILL');
    await this.#ended;
  }

  #endsWithin(limitMs: number): Promise<boolean> {
    if (this.#ended === undefined || this.pid === null) return Promise.resolve(true);
    return withinDeadline(
      this.#ended.then(() => true),
      limitMs,
      () => false,
    );
  }

  /** The program has ended: ends what it has started, which may hold its pipes open. */
  #clear({ pid, stdin, stdout }: Child): void {
    endGroup(pid, 'SIGKILL');
    if (pid !== undefined) running.delete(pid);
    if (running.size === 0) process.off('exit', endAll);
    stdin.destroy();
    setTimeout(() => stdout.destroy(), graceMs).unref();
  }

  #read(chunk: Buffer): void {
    try {
      this.#input.append(chunk);
    } catch (error) {
      this.#fail(error);
      void this._dispose();
    }
    while (this.#readOne());
  }

  /** Reads one line. True when there may be another one. A line that is no message is left out. */
  #readOne(): boolean {
    try {
      const message = this.#input.readMessage();
      if (message !== null) this.onmessage?.(message);
      return message !== null;
    } catch (error) {
      this.#fail(error);
      return true;
    }
  }

  #fail(error: unknown): void {
    this.onerror?.(error instanceof Error ? error : new Error(String(error)));
  }
}
