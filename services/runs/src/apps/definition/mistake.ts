/** One mistake in an app's folder, told to the author of the app. */
export interface Mistake {
  /** Path inside the app's folder; empty for the folder itself. */
  readonly file: string;
  /** Counted from 1. Absent without a place in a text, e.g. for a missing file. */
  readonly at?: Place;
  /** The YAML key, e.g. `tools.0.name`; empty for the file as a whole. */
  readonly key: string;
  readonly reason: string;
}

/** A place in a text, line and column counted from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** More mistakes of one app than this are counted, not kept. */
const mostKept = 50;

/** The mistakes that were found while an app was read. */
export class Mistakes {
  readonly #kept: Mistake[] = [];
  #dropped = 0;

  /** True when no more mistakes are kept, so that reading on is useless. */
  get full(): boolean {
    return this.#kept.length >= mostKept;
  }

  add(mistake: Mistake): void {
    if (this.full) this.#dropped += 1;
    else this.#kept.push(mistake);
  }

  /** Throws AppFilesError when there is a mistake: file by file in the order of `files`, each from its top to its end. */
  throwIfAny(files: readonly string[]): void {
    const [first] = this.#kept;
    if (first === undefined) return;
    const sorted = this.#kept.toSorted((a, b) => files.indexOf(a.file) - files.indexOf(b.file) || comparePlaces(a, b));
    const rest = { file: first.file, key: '', reason: `and ${this.#dropped} more mistakes` };
    throw new AppFilesError(this.#dropped === 0 ? sorted : [...sorted, rest]);
  }
}

function comparePlaces({ at: a }: Mistake, { at: b }: Mistake): number {
  return (a?.line ?? 0) - (b?.line ?? 0) || (a?.column ?? 0) - (b?.column ?? 0);
}

/** The files of an app cannot be used. Its texts may be shown to the app's author: they hold no path outside the folder. */
export class AppFilesError extends Error {
  override readonly name = 'AppFilesError';
  /** At least one. */
  readonly mistakes: readonly Mistake[];
  /** The folder has no root file: it is not an app, or no longer one. */
  readonly isRootMissing: boolean;
  /** The code was not loaded in time, or its process was killed from outside. That is no mistake of its author: it may be loaded the next time. */
  readonly isTimeout: boolean;

  constructor(
    mistakes: readonly Mistake[],
    {
      isRootMissing = false,
      isTimeout = false,
    }: { readonly isRootMissing?: boolean; readonly isTimeout?: boolean } = {},
  ) {
    super(mistakes.map(printMistake).join('\n'));
    this.mistakes = mistakes;
    this.isRootMissing = isRootMissing;
    this.isTimeout = isTimeout;
  }
}

/** Formats `file:line:column: key: reason` without the absent parts. */
export function printMistake({ file, at, key, reason }: Mistake): string {
  const place = at === undefined ? file : `${file}:${at.line}:${at.column}`;
  return [place, key, reason].filter((part) => part !== '').join(': ');
}
