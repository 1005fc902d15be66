/** Where in an app's folder a mistake is. */
export interface FilePlace {
  /** Path inside the app's folder. */
  readonly file: string;
  /** The YAML key, e.g. `tools.0.name`; empty for the file as a whole. */
  readonly key?: string;
  /** Line and column, both from 1. */
  readonly at?: { readonly line: number; readonly col: number };
}

/** An app's file that cannot be used. The message names file, place, key and reason, and may be shown to the app's author. */
export class AppFileError extends Error {
  override readonly name = 'AppFileError';
  readonly place: FilePlace;

  constructor(place: FilePlace, reason: string) {
    const at = place.at === undefined ? '' : `:${place.at.line}:${place.at.col}`;
    const key = place.key === undefined || place.key === '' ? '' : `${place.key}: `;
    super(`${place.file}${at}: ${key}${reason}`);
    this.place = place;
  }
}
