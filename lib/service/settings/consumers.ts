import { EnvError, makeValidator } from 'envalid';
import { type ConsumerGrant, type ConsumerGrants, readPublicKey } from '../../rpc/index.ts';

const fields = new Set(['keys', 'methods', 'accounts']);
const methodForm = /^[a-z][a-z0-9]*\.[A-Z]\w*$/;
const accountForm = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** `MESH_CONSUMERS`: a JSON object of grants by consumer, as `npm start -- identities --consumer` prints it. */
export const consumerGrants = makeValidator<ConsumerGrants>((input) => {
  const parsed = recordOf(parseJson(input), 'must be a JSON object of consumers');
  return new Map(Object.entries(parsed).map(([name, value]) => [name, readGrant(name, value)]));
});

function parseJson(input: string): unknown {
  try {
    return JSON.parse(input);
  } catch {
    throw new EnvError('must be a JSON object of consumers');
  }
}

function readGrant(name: string, value: unknown): ConsumerGrant {
  if (!/^[a-z][a-z0-9]*$/.test(name)) throw new EnvError(`names a consumer ${name}: letters and digits in lower case`);
  const grant = recordOf(value, `${name} must be an object`);
  const strange = Object.keys(grant).find((field) => !fields.has(field));
  if (strange !== undefined) throw new EnvError(`${name} has ${strange}, and takes ${[...fields].join(', ')}`);
  const accounts = textsOf(grant, name, 'accounts');
  const isAll = accounts.length === 1 && accounts[0] === '*';
  const methods = textsOf(grant, name, 'methods');
  check(methods, (it) => methodForm.test(it), `${name}.methods must be names such as sessions.GetSession`);
  if (!isAll) check(accounts, (it) => accountForm.test(it), `${name}.accounts must be UUIDs, or ["*"] for all`);
  const keys = grant['keys'] === undefined ? [] : textsOf(grant, name, 'keys');
  return {
    keys: keys.map((key) => publicKey(name, key)),
    methods: new Set(methods),
    accounts: isAll ? undefined : new Set(accounts),
  };
}

function recordOf(value: unknown, problem: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new EnvError(problem);
  return value as Record<string, unknown>;
}

function textsOf(grant: Record<string, unknown>, name: string, field: string): string[] {
  const value = grant[field];
  const isList = Array.isArray(value) && value.length > 0 && value.every((it) => typeof it === 'string');
  if (isList) return value;
  throw new EnvError(`${name}.${field} must be a list of texts`);
}

function check(texts: readonly string[], isGood: (text: string) => boolean, problem: string): void {
  if (!texts.every(isGood)) throw new EnvError(problem);
}

function publicKey(name: string, text: string) {
  const read = readPublicKey(`${name}:${text}`);
  if (read === undefined) throw new EnvError(`${name}.keys must be public keys, 43 letters of base64url each`);
  return read.key;
}
