import { execFile } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { testDatabaseUrl } from '@agentmesh/lib/pg/testing';
import { freePorts } from '@agentmesh/lib/rpc/testing';
import { afterAll, describe, expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import { root } from '../deployed-settings.ts';
import { startMesh } from '../mesh.ts';
import { findPromtool } from '../programs/promtool.ts';

const run = promisify(execFile);
const read = (...path: string[]): string => readFileSync(join(root, ...path), 'utf8');
const rules = parse(read('deploy', 'chart', 'alerts.yaml')) as { alert: string; expr: string }[];
const folder = mkdtempSync(join(tmpdir(), 'alerts-'));
afterAll(() => rmSync(folder, { recursive: true }));

const promtool = await findPromtool();

describe.skipIf(promtool === undefined)('the alerts, by promtool', () => {
  test('are rules of Prometheus, and each fires when it should and not before', async () => {
    writeFileSync(join(folder, 'rules.yaml'), stringify({ groups: [{ name: 'agent-mesh', rules }] }));
    copyFileSync(join(root, 'test', 'monitoring', 'alerts.test.yaml'), join(folder, 'alerts.test.yaml'));
    await run(promtool ?? '', ['check', 'rules', 'rules.yaml'], { cwd: folder });
    await run(promtool ?? '', ['test', 'rules', 'alerts.test.yaml'], { cwd: folder });
  });
});

test('each alert is tested, and has a paragraph of the runbook', () => {
  const [tests, runbook] = [read('test', 'monitoring', 'alerts.test.yaml'), read('docs', 'operations.md')];
  for (const { alert } of rules) {
    expect(runbook).toContain(`- **${alert}**: `);
    expect(tests.match(new RegExp(`alertname: ${alert}\\n +exp_alerts`))?.[0]).toBeDefined();
  }
});

/** The names of metrics in a query of Prometheus. */
function metricsIn(expr: string): string[] {
  const words = expr.replaceAll(/\{[^}]*\}|\[[^\]]*\]|"[^"]*"|\b(?:by|on) \([^)]*\)/g, ' ').match(/[a-z_]\w*/g) ?? [];
  return words.filter((word) => word.includes('_') && !['histogram_quantile', 'label_replace'].includes(word));
}

/** The series whose increase a query asks for, as `name` and the text of its labels. */
function increasesIn(expr: string): [string, string][] {
  return Array.from(expr.matchAll(/(?:increase|rate)\((\w+)(?:\{([^}]*)\})?\[/g), ([, name = '', labels = '']) => [
    name,
    labels,
  ]);
}

/** The increase of a series together with its first sample: for labels that are not known before their first use. */
const fromFirst = /\(\((\w+(?:\{[^}]*\})?) unless \1 offset (\d+[mh])\) or increase\(\1\[\2\]\)\)/g;

test('alerts and the dashboard ask for metrics that the mesh has, and for the increase of series that it tells from the start, or of series with their first sample', {
  timeout: 120_000,
}, async () => {
  await using database = await testDatabaseUrl();
  const [opsPort] = await freePorts(1);
  await using _mesh = await startMesh({ mode: 'all', databaseUrl: database.url, env: { OPS_PORT: String(opsPort) } });
  const scraped = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const known = new Set(
    Array.from(scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm), ([, name = '', type = '']) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`, `${name}_sum`] : [name],
    ).flat(),
  );
  const { panels } = JSON.parse(read('deploy', 'chart', 'dashboard.json')) as {
    panels: { targets?: { expr: string }[] }[];
  };
  const queries = [
    ...rules.map(({ expr }) => expr),
    ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
  ];
  expect(queries.length).toBeGreaterThan(15);
  const unknown = queries.flatMap(metricsIn).filter((name) => !known.has(name));
  expect([...new Set(unknown)]).toEqual([]);
  // Prometheus sees no increase in the first sample of a series.
  const isTold = ([name, labels]: [string, string]) =>
    scraped.split('\n').some((line) => line.startsWith(name) && line.includes(labels));
  const missed = (expr: string) => increasesIn(expr.replaceAll(fromFirst, '')).filter((it) => !isTold(it));
  expect(rules.flatMap(({ expr }) => increasesIn(expr))).toHaveLength(6);
  // A quantile of many requests does without the first.
  expect(queries.filter((expr) => !expr.includes('histogram_quantile')).flatMap(missed)).toEqual([]);
});
