import { createEnvelopes, createLocalWrapper, purposes, type RootKeys } from './encryption/index.ts';

/** Use of a header's value. */
export interface HeaderPlace {
  readonly accountId: string;
  /** Address that the header is sent to. */
  readonly url: string;
  readonly name: string;
}

/** Encrypts values of headers of agents, which the runs service stores. */
export interface HeaderVault {
  /** Returns the envelope of a value, which opens only for the same place. */
  seal(value: string, place: HeaderPlace): Promise<string>;
  /** Returns the value; undefined when it cannot be decrypted and has to be entered again. */
  open(envelope: string, place: HeaderPlace): Promise<string | undefined>;
  /** Whether an envelope is under the present key. */
  isCurrent(envelope: string): boolean;
}

/** A vault under the root keys of the settings. */
export function createHeaderVault(roots: RootKeys): HeaderVault {
  const envelopes = createEnvelopes(createLocalWrapper(roots, purposes.headers));
  return {
    seal: (value, place) => envelopes.seal(value, columnOf(place)),
    open: (envelope, place) => envelopes.open(envelope, columnOf(place)),
    isCurrent: (envelope) => envelope.startsWith(envelopes.currentPrefix),
  };
}

function columnOf({ accountId, url, name }: HeaderPlace) {
  return { table: 'agents', row: url, owner: accountId, column: name };
}
