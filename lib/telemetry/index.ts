export { createBoundedNames } from './bounded-names.ts';
export type { Histogram, Series } from './histogram.ts';
export { createLogger, logAccess, type Logger, type LoggerOptions } from './logger.ts';
export {
  createMetrics,
  type HistogramOptions,
  type MetricOptions,
  type Metrics,
  type MetricsOptions,
} from './metrics.ts';
export { type OpsServer, type OpsServerOptions, startOpsServer } from './ops-server.ts';
export { plainLines } from './plain-lines.ts';
export { newSpent, type RequestContext, requestContext, type Spent } from './request-context.ts';
export { type CheckResults, type Checks, runChecks } from './run-checks.ts';
export { accountHash } from './account-hash.ts';
export {
  activeTraceparent,
  codeOf,
  endWith,
  startClientSpan,
  startConsumerSpan,
  startProducerSpan,
  startServerSpan,
  type WorkSpan,
} from './server-span.ts';
export { standardOutput } from './standard-output.ts';
export { isTracing, startTracing, type TracingOptions } from './tracing.ts';
