import type { Reporter, TestModule } from 'vitest/node';

/** Ends a test run with one plain line for programs that read the output: `<n> passed, <n> failed[, <n> skipped]`. */
// Vitest takes a reporter file by its default export.
export default class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandledErrors: readonly unknown[]): void {
    const summary = summarise(modules, unhandledErrors.length);
    // The default reporter prints its own summary in the same hook, and later than this one.
    process.once('exit', () => process.stdout.write(`${summary}\n`));
  }
}

/** A file that could not be loaded, and an error outside every test, each count as one failure. */
function summarise(modules: readonly TestModule[], unhandledErrors: number): string {
  const states = modules.flatMap((module) => Array.from(module.children.allTests(), (test) => test.result().state));
  const count = (state: string) => states.filter((it) => it === state).length;
  const broken = modules.filter((module) => module.errors().length > 0).length;
  const skipped = count('skipped') + count('pending');
  const tail = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${count('passed')} passed, ${count('failed') + broken + unhandledErrors} failed${tail}`;
}
