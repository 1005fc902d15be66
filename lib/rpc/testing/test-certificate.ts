import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MeshTls } from '../call/index.ts';

const everybody = ['gateway', 'auth', 'sessions', 'runs', 'artifacts', 'memory', 'keys', 'transcription', 'webhooks'];

/** A certificate for 127.0.0.1 and `services` that is its own authority, valid for a day. Undefined where there is no openssl. */
export function testCertificate(services: readonly string[] = everybody): MeshTls | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'mesh-tls-'));
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  try {
    const names = services.map((service) => `/CN=${service}`).join('');
    const subject = `-subj ${names} -addext subjectAltName=IP:127.0.0.1,DNS:localhost`;
    const command = `req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 1 ${subject}`;
    const made = spawnSync('openssl', [...command.split(' '), '-keyout', key, '-out', cert]);
    if (made.status !== 0) return undefined;
    return { key: readFileSync(key), cert: readFileSync(cert), ca: readFileSync(cert) };
  } finally {
    rmSync(folder, { recursive: true });
  }
}
