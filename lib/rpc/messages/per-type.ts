import type { DescMessage } from '@bufbuild/protobuf';

/** The same function, which makes its value once for each type. `make` may ask for other types, but not for its own. */
export function perType<T extends boolean | object>(make: (type: DescMessage) => T): (type: DescMessage) => T {
  const made = new WeakMap<DescMessage, T>();
  return (type) => {
    let value = made.get(type);
    if (value === undefined) {
      value = make(type);
      made.set(type, value);
    }
    return value;
  };
}
