import { ArtifactsService } from '@agentmesh/proto/artifacts/v1';
import { AuthService } from '@agentmesh/proto/auth/v1';
import { type RunResponse, RunsService } from '@agentmesh/proto/runs/v1';
import { isMeshError, type MeshError } from '../index.ts';
import { testCertificate } from './test-certificate.ts';
import type { TestMesh, TestMeshOptions } from './test-mesh.ts';

const certificate = testCertificate();
/** Transports that the conformance suites run over. TLS is left out without openssl. */
export const transports: [string, Pick<TestMeshOptions, 'local' | 'tls'>][] = [
  ['local', { local: true }],
  ['gRPC', { local: false }],
  ...(certificate ? [['gRPC with mutual TLS', { local: false, tls: certificate }] satisfies [string, object]] : []),
];

/** Opens the connections of the client by calls that nobody serves, so that their time does not count against a deadline. */
export async function openConnections({ client }: TestMesh): Promise<void> {
  await failureOf(client.client(AuthService).deleteAccount({}));
  await failureOf(client.client(RunsService).listApps({}));
  await failureOf(client.client(ArtifactsService).deleteArtifact({}));
}

/** A stream's answer that carries a text. */
export function chunk(text: string) {
  return { kind: { case: 'failure' as const, value: { type: '', message: text } } };
}

/** The text of an answer made by `chunk`. */
export function textOf(response: RunResponse): string {
  return response.kind.case === 'failure' ? response.kind.value.message : '';
}

/** The MeshError a call fails with; throws when it does not. */
export async function failureOf(work: Promise<unknown>): Promise<MeshError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!isMeshError(error)) throw new Error('expected a MeshError', { cause: error });
  return error;
}

/** The texts of a whole stream. */
export async function collect(stream: AsyncIterable<RunResponse>): Promise<string[]> {
  const texts: string[] = [];
  for await (const response of stream) texts.push(textOf(response));
  return texts;
}

/** Rejects with the reason of the signal when it aborts, like a handler that waits. */
export function untilAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
  });
}
