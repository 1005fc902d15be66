import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { securityHeaders } from './security-headers.ts';

const reasons: Readonly<Record<string, readonly [status: number, detail: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'The request headers are too large.'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'The request took too long to arrive.'],
};

interface ParseError extends NodeJS.ErrnoException {
  /** Bytes as a Buffer; Fastify has another type for it. */
  readonly rawPacket?: unknown;
  readonly bytesParsed?: number;
}

const methodNotAllowed = [405, 'Method Not Allowed'] as const;
const notHttp = [400, 'The request is not valid HTTP.'] as const;

function reasonOf(error: ParseError): readonly [status: number, detail: string] {
  return isUnknownMethod(error) ? methodNotAllowed : (reasons[error.code ?? ''] ?? notHttp);
}

/** Whether the rest of the line is that of a request. Node's parser knows the registered methods only, and no route has another one. */
function isUnknownMethod({ code, rawPacket, bytesParsed = 0 }: ParseError): boolean {
  if (code !== 'HPE_INVALID_METHOD' || !Buffer.isBuffer(rawPacket)) return false;
  const line = rawPacket.subarray(rawPacket.lastIndexOf('\n', bytesParsed) + 1).toString('latin1');
  return /^[\w!#$%&'*+.^`|~-]+ \S+ HTTP\/1\.[01]\r\n/.test(line);
}

/** Answers bytes that are no HTTP request, and closes the connection. */
export function onClientError(error: ParseError, socket: Duplex): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const [status, detail] = reasonOf(error);
  const body = JSON.stringify({ detail });
  const headers = {
    ...securityHeaders,
    'x-request-id': randomUUID(),
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${body}`, () => socket.destroy());
}
