export interface TracingOptions {
  /** `service.name` of the spans unless OTEL_SERVICE_NAME is set. */
  serviceName: string;
  env?: Readonly<Record<string, string | undefined>>;
}

let tracing = false;
let recording = false;

/** Notes that an SDK runs in this process, which may record spans. */
export function noteRecording(): void {
  recording = true;
}

/** Whether spans may be recorded. Without an SDK no request pays for a span. */
export function mayRecord(): boolean {
  return recording;
}

/** Whether this process has started tracing for an exporter. */
export function isTracing(): boolean {
  return tracing;
}

/**
 * Starts the OpenTelemetry SDK when an exporter is configured (`OTEL_EXPORTER_OTLP_ENDPOINT` or `OTEL_TRACES_EXPORTER`, which
 * may be `none`); otherwise it imports nothing and returns undefined. Disposing flushes pending spans.
 */
export async function startTracing({
  serviceName,
  env = process.env,
}: TracingOptions): Promise<AsyncDisposable | undefined> {
  if (!isConfigured(env)) return undefined;
  const { NodeSDK } = await import('@opentelemetry/sdk-node');
  const sdk = new NodeSDK({ serviceName: env['OTEL_SERVICE_NAME'] ?? serviceName, instrumentations: [] });
  sdk.start();
  tracing = true;
  noteRecording();
  return { [Symbol.asyncDispose]: () => sdk.shutdown() };
}

function isConfigured(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_TRACES_EXPORTER']);
}
