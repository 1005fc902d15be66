import type { ComponentChildren } from 'preact';
import type { Listed } from '../data/list.ts';
import { t } from '../texts.ts';
import { Button } from './button.tsx';
import { Failure, Skeleton } from './states.tsx';
import { useStill } from './still.ts';

export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => ComponentChildren;
  readonly isNumber?: boolean;
  /** Left out on narrow screens. */
  readonly isWide?: boolean;
}

interface TableProps<T> {
  readonly label: string;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (item: T) => string | number;
  /** Where a row leads; its first cell is the link. */
  readonly hrefOf?: (item: T) => string;
}

/** A table whose rows are links. j and k go from row to row. */
export function Table<T>(props: TableProps<T>) {
  return (
    <div class="card scroll">
      <Rows {...props} />
    </div>
  );
}

/** A table of what changes by itself. Rows stay under the pointer; new ones are counted until it has left. */
export function LiveTable<T>(props: TableProps<T>) {
  const { rows, held, handlers } = useStill(props.rows, props.keyOf);
  return (
    <div class="live-table">
      <div class="card scroll" {...handlers}>
        <Rows {...props} rows={rows} />
      </div>
      <Held count={held} />
    </div>
  );
}

/** Tells how many rows are held back. */
export function Held({ count }: { readonly count: number }) {
  return (
    <div class="held" role="status">
      {count > 0 && <span>{`${count} ${t.states.held}`}</span>}
    </div>
  );
}

function Rows<T>({ label, columns, rows, keyOf, hrefOf }: TableProps<T>) {
  return (
    <table class="table" aria-label={label}>
      <thead>
        <tr>
          {columns.map((column) => (
            <th key={column.title} scope="col" class={classOf(column)}>
              {column.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((item) => (
          <tr key={keyOf(item)}>
            {columns.map((column, index) => (
              <td key={column.title} class={[classOf(column), index === 0 && 'lead-cell'].filter(Boolean).join(' ')}>
                {index === 0 && hrefOf !== undefined ? (
                  <a class="cover" href={hrefOf(item)} data-row>
                    {column.cell(item)}
                  </a>
                ) : (
                  column.cell(item)
                )}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function classOf<T>({ isNumber, isWide }: Column<T>): string {
  return [isNumber === true && 'number', isWide === true && 'wide'].filter(Boolean).join(' ');
}

interface ListTableProps<T> extends Omit<TableProps<T>, 'rows'> {
  readonly list: Listed<T>;
  readonly empty: ComponentChildren;
  readonly retry?: () => unknown;
}

/** A table of a list that is read page by page, in all of its states. The server may end a page of a rare kind before it has found one. */
export function ListTable<T>({ list: { key, data, error, more }, empty, retry, ...table }: ListTableProps<T>) {
  if (data === undefined) return error === undefined ? <Skeleton lines={8} /> : <Failure error={error} retry={retry} />;
  if (data.length === 0 && more === undefined) return <>{empty}</>;
  // The rows of other tables have buttons, whose effect is seen at once.
  const Kind = table.hrefOf === undefined ? Table : LiveTable;
  return (
    <div class="stack">
      {data.length === 0 ? <p class="muted">{t.states.noneYet}</p> : <Kind key={key} {...table} rows={data} />}
      {more && (
        <div class="row pill">
          <Button onPress={more}>{t.actions.more}</Button>
        </div>
      )}
    </div>
  );
}
