export interface TracingOptions {
  /** `service.name` of the spans unless OTEL_SERVICE_NAME is set. */
  serviceName: string;
  env?: Readonly<Record<string, string | undefined>>;
}

let tracing = false;

/** Whether this process has started tracing for an exporter. Without one no request pays for a span. */
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
  return { [Symbol.asyncDispose]: () => sdk.shutdown() };
}

function isConfigured(env: Readonly<Record<string, string | undefined>>): boolean {
  if (env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return false;
  return Boolean(env['OTEL_EXPORTER_OTLP_ENDPOINT'] || env['OTEL_TRACES_EXPORTER']);
}
