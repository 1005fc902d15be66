import { type Place, refusal } from './refusal.ts';

/** A call that a run waits for, and the place of the run in its account. */
export interface AwaitedCall {
  readonly sessionId: string;
  readonly invocationId: string;
  readonly functionCallId: string;
  readonly name: string;
}

const prefix = 'call_';

/** Id of a call for clients. It names the run too, so that an answer finds it; runs of other accounts and users are out of its reach. */
export function printCallId({ sessionId, invocationId, functionCallId, name }: AwaitedCall): string {
  const names = JSON.stringify([sessionId, invocationId, functionCallId, name]);
  return prefix + Buffer.from(names).toString('base64url');
}

/** The call of an id. Throws 400 for another text than those that `printCallId` makes. */
export function parseCallId(id: string, place: Place): AwaitedCall {
  const names = parseNames(id);
  const [sessionId, invocationId, functionCallId, name] = names ?? [];
  const isWhole =
    names?.length === 4 && names.every((one) => typeof one === 'string' && one !== '' && !one.includes('\0'));
  if (!isWhole) throw refusal(place, 'No call of a run has this id.');
  return { sessionId, invocationId, functionCallId, name } as AwaitedCall;
}

function parseNames(id: string): unknown[] | undefined {
  try {
    const names: unknown = JSON.parse(Buffer.from(id.slice(prefix.length), 'base64url').toString());
    return Array.isArray(names) ? names : undefined;
  } catch {
    return undefined;
  }
}
