import type { experimental } from '@grpc/grpc-js';
import type { MeshTls } from '../call/index.ts';

/** Gives gRPC the certificates of `tls` for new connections, and again after each change. */
export function certificateProvider(tls: MeshTls): experimental.CertificateProvider {
  const subscriptions = new Map<unknown, Disposable | undefined>();
  const add = (listener: unknown, tell: () => void): void => {
    // grpc-js takes the first certificates only after it has added its listeners.
    process.nextTick(tell);
    subscriptions.set(listener, tls.onChange?.(tell));
  };
  const remove = (listener: unknown): void => {
    subscriptions.get(listener)?.[Symbol.dispose]();
    subscriptions.delete(listener);
  };
  return {
    addCaCertificateListener: (listener) => add(listener, () => listener({ caCertificate: Buffer.from(tls.ca) })),
    removeCaCertificateListener: remove,
    addIdentityCertificateListener: (listener) =>
      add(listener, () => listener({ certificate: Buffer.from(tls.cert), privateKey: Buffer.from(tls.key) })),
    removeIdentityCertificateListener: remove,
  };
}
