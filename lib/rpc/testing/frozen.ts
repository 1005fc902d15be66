export type Method = (request: unknown, options?: unknown) => unknown;

/**
 * A method of a client whose messages can be written into by neither side, as the contract of `Mesh` asks. In one process both sides hold the same
 * objects, so a write would be seen by the other. Bytes cannot be frozen.
 */
export function frozen(method: Method): Method {
  return (request, options) => {
    const answer = method(isIterable(request) ? request : freeze(request), options);
    if (answer instanceof Promise) return answer.then(freeze);
    return isIterable(answer) ? frozenEach(answer) : answer;
  };
}

async function* frozenEach(answers: AsyncIterable<unknown>): AsyncGenerator {
  for await (const answer of answers) yield freeze(answer);
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

function freeze<T>(value: T): T {
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const field of Object.values(value)) freeze(field);
  return value;
}
