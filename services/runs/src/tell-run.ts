import { type SeenSpan, type SpanWatcher, spanWatcher } from '@agentmesh/lib/spans';

/** A line of the log of a run. Its account reads it: it has no secrets, no addresses and no stack of this program. */
export interface RunLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Who says it; the mesh by default. */
  readonly source?: 'app' | 'mesh';
  readonly attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  /** A line that is repeated for each call of a model: the attempt tells it once. */
  readonly isOnce?: boolean;
}

/** Sees a run, and is told its lines. */
export abstract class RunWatcher implements SpanWatcher {
  abstract add(span: SeenSpan): void;
  abstract tell(line: RunLine): void;
  /** Counts lines that somebody else has left out. */
  abstract leaveOut(lines: number): void;
}

/** Adds a line to the log of the run that is at work here. Does nothing outside of a run, and for one that is not sampled. */
export function tellRun(line: RunLine): void {
  watcher()?.tell(line);
}

/** Counts lines of the run that is at work here, which its app has printed beyond the bounds. */
export function leaveOutOfRun(lines: number): void {
  watcher()?.leaveOut(lines);
}

function watcher(): RunWatcher | undefined {
  const found = spanWatcher();
  return found instanceof RunWatcher ? found : undefined;
}
