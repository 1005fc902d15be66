import { type RunLine, RunWatcher } from '../src/tell-run.ts';

/** Keeps what is told in a run. */
export class SeenRun extends RunWatcher {
  readonly lines: RunLine[] = [];
  leftOut = 0;
  add(): void {}
  tell(line: RunLine): void {
    this.lines.push(line);
  }
  leaveOut(lines: number): void {
    this.leftOut += lines;
  }
}
