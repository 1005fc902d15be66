/** The same work. `onOver` is called when it has settled. Unlike `finally`, which makes three promises, this makes one. */
export function whenOver<T>(work: Promise<T>, onOver: () => void): Promise<T> {
  return work.then(
    (result) => {
      onOver();
      return result;
    },
    (error: unknown) => {
      onOver();
      throw error;
    },
  );
}
