import { HttpError, InvalidRequest } from '../edge/errors/request-error.ts';

/** Meaning of a path under `/artifacts/`. `version` is the number as text, or `latest`. */
export type ArtifactTarget =
  | { readonly kind: 'artifact'; readonly name: string }
  | { readonly kind: 'versions' | 'records'; readonly name: string }
  | { readonly kind: 'version' | 'record'; readonly name: string; readonly version: string };

const form = /^(.+)\/versions(?:\/([^/]+))?(\/metadata)?$/s;
const largest = 2 ** 31 - 1;

/** Reads the decoded path. Names are greedy. These suffixes take precedence over names that end with them. */
export function artifactTarget(path: string): ArtifactTarget {
  if (path === '') throw new HttpError(404, 'Not Found');
  const [, name = '', version, metadata] = form.exec(path) ?? [];
  if (name === '') return { kind: 'artifact', name: path };
  if (version === undefined) return metadata === undefined ? { kind: 'versions', name } : { kind: 'records', name };
  if (version === 'metadata' && metadata === undefined) return { kind: 'records', name };
  return { kind: metadata === undefined ? 'version' : 'record', name, version };
}

/** Number of a version; undefined for the latest. -1, which is never found, for an impossible number. Throws InvalidRequest. */
export function versionNumber(text: string): number | undefined {
  if (text === 'latest') return undefined;
  if (!/^[+-]?\d{1,20}$/.test(text)) {
    const msg = 'Input should be a valid integer, unable to parse string as an integer';
    throw new InvalidRequest([{ type: 'int_parsing', loc: ['path', 'version_id'], msg, input: text }]);
  }
  return storedVersion(Number(text));
}

/** Version number for the artifacts service. */
export function storedVersion(version: number): number {
  return version >= 0 && version <= largest ? version : -1;
}
