import type { Client } from 'pg';

/** SQL expression: the timeline of the server, another one after a standby was promoted. Blank on a standby. */
export const timelineOfServer = `case when pg_is_in_recovery() then '' else left(pg_walfile_name(pg_current_wal_insert_lsn()), 8) end`;

/** Numbers of each sequence that are skipped: more than a server gives between a commit and its arrival at a standby. */
const skipped = 10_000;

/** Rows with the sequences of the schema to which the connection leads, each advanced. */
const advance = `select max(nextval(oid::regclass)) from pg_class, generate_series(1, ${skipped})
    where relkind = 'S' and relnamespace = current_schema()::regnamespace group by oid`;

/** The server that a database was connected to last. */
export class Timeline {
  #current = '';

  /** Blank until a connection was opened. */
  get current(): string {
    return this.#current;
  }

  /**
   * Notes the server of a new connection before anything else is sent on it. After a failover to a standby that lacks commits its sequences would give numbers of lost rows,
   * which processes still hold, to other rows: they are advanced first. Throws for a standby: its connections outlive its promotion, which nobody would notice.
   */
  async meet(client: Client): Promise<void> {
    const { rows } = await client.query<{ timeline: string }>(`select ${timelineOfServer} as timeline`);
    const met = rows[0]?.timeline ?? '';
    if (met === '') throw new Error('The server is a standby that was not promoted.');
    if (met === this.#current) return;
    if (this.#current !== '') await client.query(advance);
    this.#current = met;
  }

  /** Notes the server that has answered, where connections lead through a pooler and outlive it. */
  note(timeline: unknown): void {
    if (typeof timeline === 'string' && timeline !== '') this.#current = timeline;
  }
}
