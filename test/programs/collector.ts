import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { findGoTool, isProgram } from './go-tools.ts';

const builderModule = 'go.opentelemetry.io/collector/cmd/builder@v0.165.0';
const parts = fileURLToPath(new URL('collector/builder.yaml', import.meta.url));

/** Path of an OpenTelemetry collector: of the cache, or built by its builder, which takes two minutes. Undefined, with a warning, without Go. */
export function findCollector(): string | undefined {
  const builder = findGoTool('builder', builderModule);
  if (builder === undefined) return undefined;
  const folder = join(dirname(builder), 'collector');
  const program = join(folder, 'otelcol');
  if (isProgram(program)) return program;
  const options = { env: { ...process.env, CGO_ENABLED: '0', DIST_OUTPUT_PATH: folder }, stdio: 'inherit' } as const;
  const { status } = spawnSync(builder, ['--config', parts], options);
  if (status !== 0) throw new Error(`the builder of the collector ended with ${status}`);
  return program;
}

export interface Collector extends AsyncDisposable {
  /** `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly url: string;
  /** Prints of the spans that it took, and its own lines. */
  readonly lines: readonly string[];
}

export async function startCollector(program: string): Promise<Collector> {
  const folder = await mkdtemp(join(tmpdir(), 'collector-'));
  const [port = 0] = await freePorts(1);
  const config = join(folder, 'config.yaml');
  const receivers = { otlp: { protocols: { http: { endpoint: `127.0.0.1:${port}` } } } };
  const traces = { receivers: ['otlp'], exporters: ['debug'] };
  const telemetry = { metrics: { level: 'none' } };
  const exporters = { debug: { verbosity: 'detailed' } };
  await writeFile(config, JSON.stringify({ receivers, exporters, service: { telemetry, pipelines: { traces } } }));
  const child = spawn(program, ['--config', config], { stdio: ['ignore', 'ignore', 'pipe'] });
  const ended = once(child, 'exit');
  const lines: string[] = [];
  const ready = Promise.withResolvers<void>();
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (line.includes('Everything is ready')) ready.resolve();
  });
  void ended.then(() => ready.reject(new Error(`the collector ended:\n${lines.join('\n')}`)));
  await ready.promise;
  return {
    url: `http://127.0.0.1:${port}`,
    lines,
    [Symbol.asyncDispose]: async () => {
      child.kill('SIGKILL');
      await ended;
      await rm(folder, { recursive: true });
    },
  };
}
