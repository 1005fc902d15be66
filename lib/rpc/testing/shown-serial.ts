import { connect } from 'node:tls';
import type { MeshTls } from '../call/index.ts';

/** The serial number of the certificate that a gRPC server at a port of this machine shows to a new connection. */
export async function shownSerial(port: number, { cert, key }: MeshTls): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', cert, key, rejectUnauthorized: false, ALPNProtocols: ['h2'] });
  try {
    await new Promise((resolve, reject) => socket.once('secureConnect', resolve).once('error', reject));
    return socket.getPeerCertificate().serialNumber;
  } finally {
    socket.destroy();
  }
}
