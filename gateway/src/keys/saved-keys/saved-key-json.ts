import { MeshError } from '@agentmesh/lib/rpc';
import { KeyTestOutcome, type SavedKey, type TestKeyResponse } from '@agentmesh/proto/keys/v1/saved_keys';
import type { Identity } from '../../edge/authentication/identity.ts';

/** The answer to a change of a key. */
export function savedKeyAnswer(key: SavedKey | undefined, message: string) {
  return { ...shownOf(requireKey(key)), message };
}

/** A key as it is listed. */
export function savedKeyJson(found: SavedKey | undefined, { email }: Identity) {
  const key = requireKey(found);
  return {
    ...shownOf(key),
    api_key_value: `saved:apikey${key.id}`,
    last_four: key.lastFour,
    fingerprint: key.fingerprint,
    owner_id: email,
    organization_id: email.slice(email.lastIndexOf('@') + 1),
    created_at: dateTime(key.createTime),
    updated_at: dateTime(key.updateTime),
    last_used_at: key.lastUsedTime === 0 ? null : dateTime(key.lastUsedTime),
    status: key.needsReentry ? 'needs_reentry' : 'active',
  };
}

const outcomes: ReadonlyMap<KeyTestOutcome, readonly [string, string]> = new Map([
  [KeyTestOutcome.ACCEPTED, ['accepted', 'The provider accepts the key.']],
  [KeyTestOutcome.REFUSED, ['refused', 'The provider refuses the key.']],
  [KeyTestOutcome.LIMITED, ['limited', 'The provider limits the use of the key at the moment.']],
  [KeyTestOutcome.FAILED, ['failed', 'The server answered with an error that is not about the key.']],
]);
const unreachable = ['unreachable', 'There was no answer from the address.'] as const;

/** The result of a test call. */
export function keyTestJson({ outcome, httpStatus, latencyMs }: TestKeyResponse) {
  const [word, message] = outcomes.get(outcome) ?? unreachable;
  const ok = outcome === KeyTestOutcome.ACCEPTED;
  return { ok, outcome: word, http_status: httpStatus === 0 ? null : httpStatus, latency_ms: latencyMs, message };
}

function shownOf({ id, name, provider, model, modelApiBase }: SavedKey) {
  return {
    api_key_id: `apikey${id}`,
    key_name: name,
    provider,
    model: model === '' ? null : model,
    model_api_base: modelApiBase === '' ? null : modelApiBase,
  };
}

function requireKey(key: SavedKey | undefined): SavedKey {
  if (key === undefined) throw new MeshError('internal', 'key_missing', 'The key could not be read.');
  return key;
}

const dateTime = (seconds: number): string => new Date(seconds * 1_000).toISOString();
