import pg from 'pg';
import { GroupCommit } from '../sending/index.ts';

/** The texts of all statements that this process sends while it is not disposed. */
export interface RecordedStatements extends Disposable {
  /** By name; a statement without a name is its own. */
  readonly texts: ReadonlyMap<string, string>;
  /** How often each was sent, by the same names. */
  readonly counts: ReadonlyMap<string, number>;
}

interface SentQuery {
  readonly name?: string;
  readonly text?: string;
}

type Send = (query: SentQuery | string, ...rest: unknown[]) => unknown;

/** Records statements, for tests of their plans and of how many there are. Only one recording at a time. */
export function recordStatements(): RecordedStatements {
  const texts = new Map<string, string>();
  const counts = new Map<string, number>();
  const note = (query: SentQuery | string): void => {
    const { text, name = text } = typeof query === 'string' ? { text: query } : query;
    if (text === undefined || name === undefined || !/^\s*(select|insert|update|delete|with)\b/i.test(text)) return;
    texts.set(name, text);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  };
  const restores = [pg.Client.prototype, GroupCommit.prototype].map((prototype) => {
    const sender = prototype as unknown as { query: Send };
    const send = sender.query;
    sender.query = function (this: unknown, query, ...rest) {
      note(query);
      return send.call(this, query, ...rest);
    };
    return () => void (sender.query = send);
  });
  return { texts, counts, [Symbol.dispose]: () => restores.forEach((restore) => restore()) };
}

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

/**
 * How each statement finds its rows, whatever its parameters: for each access of a table one line with the index and the condition
 * on it, sorted.
 * The connection has the settings of a service's connections.
 */
export async function explainStatements(
  { url, schema }: { readonly url: string; readonly schema: string },
  texts: ReadonlyMap<string, string>,
): Promise<Map<string, string[]>> {
  const options = `-c search_path=${schema} -c enable_seqscan=off`;
  const client = new pg.Client({ connectionString: url, options });
  await client.connect();
  try {
    const plans = new Map<string, string[]>();
    for (const [name, text] of texts) {
      const { rows } = await client.query<{ 'QUERY PLAN': [{ Plan: PlanNode }] }>(
        `explain (generic_plan, format json) ${text}`,
      );
      plans.set(name, rows[0] === undefined ? [] : accessesOf(rows[0]['QUERY PLAN'][0].Plan).toSorted());
    }
    return plans;
  } finally {
    await client.end();
  }
}

function accessesOf(node: PlanNode): string[] {
  const below = (node.Plans ?? []).flatMap(accessesOf);
  const { 'Node Type': type, 'Relation Name': table, 'Index Name': index, 'Index Cond': condition } = node;
  // The index below a bitmap scan says how its rows are found.
  if (type === 'Bitmap Heap Scan' || type === 'ModifyTable' || (table === undefined && index === undefined))
    return below;
  return [`${index ?? type}: ${condition ?? ''}`, ...below];
}
