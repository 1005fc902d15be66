/** Each item through `toItem`; what the source throws through `toFailure`. */
export function mapped<T, R>(
  source: AsyncIterable<T>,
  toItem: (item: T) => R,
  toFailure: (error: unknown) => Error,
): AsyncIterable<R> {
  return {
    [Symbol.asyncIterator]: () => {
      const iterator = source[Symbol.asyncIterator]();
      return {
        next: async () => {
          const result = await iterator.next().catch((error: unknown) => Promise.reject(toFailure(error)));
          return result.done ? { done: true, value: undefined } : { value: toItem(result.value) };
        },
        return: async () => {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
