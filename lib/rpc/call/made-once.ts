/** The same function, which makes its value once for each key. `make` may ask for other keys, but not for its own. */
export function madeOnce<K extends object, V extends boolean | string | object>(make: (key: K) => V): (key: K) => V {
  const made = new WeakMap<K, V>();
  return (key) => {
    let value = made.get(key);
    if (value === undefined) {
      value = make(key);
      made.set(key, value);
    }
    return value;
  };
}
