import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';

/** PEM texts of one side of TLS: the authorities that it trusts, and its own certificate and key. */
export interface Certificates {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** Throws when TLS cannot use the texts: one is broken, the key is of another certificate, or an authority is cut off, which Node would leave out without a word. */
export function checkCertificates({ ca, cert, key }: Certificates): void {
  createSecureContext({ ca, cert, key });
  if (ca === undefined) return;
  const begun = ca.match(/-----BEGIN (?:TRUSTED |X509 )?CERTIFICATE-----/g)?.length ?? 0;
  const whole = ca.match(/-----BEGIN ([A-Z0-9 ]*CERTIFICATE)-----[^-]+-----END \1-----/g) ?? [];
  if (begun === 0 || whole.length !== begun) throw new Error('The text of the authorities has no whole certificate.');
  for (const one of whole) new X509Certificate(one);
}
