import pg from 'pg';
import { withSessionSettings } from '../connection/index.ts';

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Shared Hit Blocks': number;
  readonly 'Shared Read Blocks': number;
  readonly Plans?: readonly PlanNode[];
}

/** How PostgreSQL executed one statement. */
export interface Execution {
  readonly text: string;
  /** Blocks of 8 KiB that it looked at, each as often as it did. */
  readonly blocks: number;
  /** Those of them that it looked at to write rows and their entries in indexes. */
  readonly blocksWritten: number;
  /** Tables that it read from the first row to the last. */
  readonly scanned: readonly string[];
}

export interface Executions extends Disposable {
  /** Address whose connections report how they execute statements. Its login must be a superuser. */
  readonly url: string;
  /** In the order in which they ended. */
  readonly all: readonly Execution[];
}

const settings = [
  'session_preload_libraries=auto_explain',
  'auto_explain.log_min_duration=0',
  'auto_explain.log_analyze=on',
  'auto_explain.log_buffers=on',
  'auto_explain.log_timing=off',
  'auto_explain.log_format=json',
  'auto_explain.log_level=notice',
  'client_min_messages=notice',
];

/** Records how this process's statements are executed on connections to `url`, by PostgreSQL's module auto_explain. Only one at a time. */
export function recordExecutions(address: string): Executions {
  const all: Execution[] = [];
  const prototype = pg.Client.prototype as unknown as { connect: (...args: unknown[]) => unknown };
  const { connect } = prototype;
  prototype.connect = function (this: pg.Client, ...args) {
    this.on('notice', ({ message }) => {
      const plan = /plan:\n(\{.*\})\s*$/s.exec(message ?? '')?.[1];
      if (plan !== undefined) all.push(toExecution(JSON.parse(plan) as { 'Query Text': string; Plan: PlanNode }));
    });
    return connect.apply(this, args);
  };
  return {
    url: withSessionSettings(address, settings),
    all,
    [Symbol.dispose]: () => void (prototype.connect = connect),
  };
}

function toExecution({ 'Query Text': text, Plan: plan }: { 'Query Text': string; Plan: PlanNode }): Execution {
  return { text, blocks: blocksOf(plan), blocksWritten: writtenIn(plan), scanned: scannedIn(plan) };
}

function blocksOf(node: PlanNode): number {
  return node['Shared Hit Blocks'] + node['Shared Read Blocks'];
}

/** PostgreSQL counts the blocks of a node together with those of the nodes below it. */
function writtenIn(node: PlanNode): number {
  const below = node.Plans ?? [];
  const own = node['Node Type'] === 'ModifyTable' ? blocksOf(node) - sum(below.map(blocksOf)) : 0;
  return own + sum(below.map(writtenIn));
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function scannedIn(node: PlanNode): string[] {
  const own = node['Node Type'] === 'Seq Scan' && node['Relation Name'] ? [node['Relation Name']] : [];
  return [...own, ...(node.Plans ?? []).flatMap(scannedIn)];
}
