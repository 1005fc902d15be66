import type { Run, RunStream } from '@agentmesh/client';
import { exitCode, exitCodeOf } from '../terminal/exit-code.ts';
import type { Output } from '../terminal/output.ts';

/** Until when after the first Ctrl-C a second one cancels the run, in milliseconds. */
const secondThoughtMs = 2_000;

/** Signals within this time of the first one are the same Ctrl-C, in milliseconds: a terminal sends it to the whole process group, and the wrapper in a clone passes its own on. */
const sameRequestMs = 500;

/**
 * Shows a run to its end, and returns the exit code. The first Ctrl-C leaves the run, the second one cancels it. `session`: where a person has named it, hints
 * name it too.
 */
export async function followRun(run: RunStream, output: Output, session?: string): Promise<number> {
  const named = async (): Promise<string> => `${await run.id}${session === undefined ? '' : ` --session ${session}`}`;
  const left = onInterrupt(run, output, named);
  try {
    return await Promise.race([show(run, output, named), left.promise]);
  } finally {
    left.stop();
  }
}

/** The arguments of a command for the run. */
type NamedRun = () => Promise<string>;

async function show(run: RunStream, output: Output, named: NamedRun): Promise<number> {
  if (output.isJson) await showEvents(run, output);
  else await showText(run, output);
  const record = run.record as Run;
  if (output.isJson) output.line(JSON.stringify({ record }));
  else tellEnd(record, output, await named());
  return exitCodeOf(record.status);
}

/** A line of JSON for each event, and for each gap. */
async function showEvents(run: RunStream, output: Output): Promise<void> {
  for await (const event of run) output.line(JSON.stringify(event));
}

async function showText(run: RunStream, output: Output): Promise<void> {
  let isOpen = false;
  for await (const piece of run.text) {
    output.write(piece);
    isOpen = !piece.endsWith('\n');
  }
  if (isOpen) output.line('');
}

function tellEnd({ status, errorCode, errorMessage, waitingFor = [] }: Run, output: Output, named: string): void {
  if (status === 'failed') output.note(`The run failed: ${errorCode ?? ''} ${errorMessage ?? ''}`.trimEnd());
  if (status === 'cancelled' || status === 'interrupted') output.note(`The run was ${status}.`);
  if (status !== 'waiting') return;
  for (const { functionCallId, name, args } of waitingFor)
    output.note(`It waits for ${name} (${functionCallId}) ${args === undefined ? '' : JSON.stringify(args)}`.trimEnd());
  output.note(`Answer it: agentmesh answer ${named} '{"confirmed": true}'`);
}

interface Leaving {
  readonly promise: Promise<number>;
  stop(): void;
}

function onInterrupt(run: RunStream, output: Output, named: NamedRun): Leaving {
  let [askedAt, timer]: [number | undefined, NodeJS.Timeout | undefined] = [undefined, undefined];
  let settle: (code: number | Promise<number>) => void;
  const promise = new Promise<number>((resolve) => {
    settle = resolve;
  });
  const listen = (): void => {
    if (askedAt !== undefined) {
      if (performance.now() - askedAt < sameRequestMs) return;
      clearTimeout(timer);
      settle(cancel(run, output));
      return;
    }
    askedAt = performance.now();
    output.note('\nLeaving; the run goes on. Ctrl-C again after half a second, and within two, cancels it.');
    timer = setTimeout(() => settle(leave(output, named)), secondThoughtMs);
  };
  process.on('SIGINT', listen);
  return {
    promise,
    stop: () => {
      clearTimeout(timer);
      process.off('SIGINT', listen);
    },
  };
}

async function leave(output: Output, named: NamedRun): Promise<number> {
  output.note(`Watch it again: agentmesh tail ${await named()}`);
  return exitCode.cancelled;
}

async function cancel(run: RunStream, output: Output): Promise<number> {
  const { status } = await run.cancel();
  output.note(`The run is ${status}.`);
  return exitCode.cancelled;
}
