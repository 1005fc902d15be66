import { HttpError, InvalidRequest } from '../edge/errors/request-error.ts';

/** What a path under `/artifacts/` means. `version` is a number as it was sent, or `latest`. */
export type ArtifactTarget =
  | { readonly kind: 'artifact'; readonly name: string }
  | { readonly kind: 'versions' | 'records'; readonly name: string }
  | { readonly kind: 'version' | 'record'; readonly name: string; readonly version: string };

const form = /^(.+)\/versions(?:\/([^/]+))?(\/metadata)?$/s;
const largest = 2 ** 31 - 1;

/** Reads the decoded path: names are greedy, and these suffixes win over names that end like them. */
export function artifactTarget(path: string): ArtifactTarget {
  if (path === '') throw new HttpError(404, 'Not Found');
  const [, name = '', version, metadata] = form.exec(path) ?? [];
  if (name === '') return { kind: 'artifact', name: path };
  if (version === undefined) return metadata === undefined ? { kind: 'versions', name } : { kind: 'records', name };
  if (version === 'metadata' && metadata === undefined) return { kind: 'records', name };
  return { kind: metadata === undefined ? 'version' : 'record', name, version };
}

/** The number of a version; undefined for the latest. One that cannot be is -1, which is never found. Throws InvalidRequest. */
export function versionNumber(text: string): number | undefined {
  if (text === 'latest') return undefined;
  if (!/^[+-]?\d{1,20}$/.test(text)) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer';
    throw new InvalidRequest([{ type: 'int_parsing', loc: ['path', 'version_id'], msg, input: text }]);
  }
  return storedVersion(Number(text));
}

/** A version as the mesh says it. */
export function storedVersion(version: number): number {
  return version >= 0 && version <= largest ? version : -1;
}
