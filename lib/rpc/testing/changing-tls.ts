import type { MeshTls } from '../call/index.ts';

/** Certificates that a test changes while connections use them. */
export function changingTls(first: MeshTls): { readonly tls: MeshTls; readonly change: (next: MeshTls) => void } {
  let current = first;
  const listeners = new Set<() => void>();
  return {
    tls: {
      get cert() {
        return current.cert;
      },
      get key() {
        return current.key;
      },
      get ca() {
        return current.ca;
      },
      onChange(listener) {
        listeners.add(listener);
        return { [Symbol.dispose]: () => void listeners.delete(listener) };
      },
    },
    change(next) {
      current = next;
      for (const listener of listeners) listener();
    },
  };
}
