/** The request that a response answers: the message that began a run, or the answer to a call of it. */
export interface Answered {
  readonly invocationId: string;
  /** The first call that was answered; undefined for the beginning of the run. */
  readonly functionCallId: string | undefined;
}

const prefix = 'resp_';

/** `resp_<run>`, or `resp_<run>~<call>` for a run that has gone on after the answer to this call. */
export function printResponseId({ invocationId, functionCallId }: Answered): string {
  return `${prefix}${invocationId}${functionCallId === undefined ? '' : `~${functionCallId}`}`;
}

/** Undefined for a text that is no id of a response. */
export function parseResponseId(id: string): Answered | undefined {
  if (!id.startsWith(prefix) || id.includes('\0')) return undefined;
  const [invocationId = '', ...rest] = id.slice(prefix.length).split('~');
  if (invocationId === '' || invocationId.length > 256) return undefined;
  return { invocationId, functionCallId: rest.length === 0 ? undefined : rest.join('~') };
}
