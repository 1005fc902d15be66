import { timestampFromDate } from '@bufbuild/protobuf/wkt';
import type { Context } from '../../context.ts';
import { hashReceipt } from '../../erasure/receipt.ts';
import { erasureNotFound } from '../../errors.ts';
import { type ErasureRow, selectErasure } from '../../store/erasures.ts';
import type { Handlers } from '../handlers.ts';

export function getErasure({ db }: Context): Handlers['getErasure'] {
  return async ({ receipt }) => {
    const hash = hashReceipt(receipt);
    const rows = hash === undefined ? [] : await selectErasure(db, hash);
    const [first] = rows;
    if (first === undefined) throw erasureNotFound();
    return {
      requestedAt: timestampFromDate(first.requested_at),
      ...(first.completed_at && { completedAt: timestampFromDate(first.completed_at) }),
      final: first.final,
      parts: rows.map(partMessage),
    };
  };
}

function partMessage({ service, erased_at: erasedAt, counts }: ErasureRow) {
  const numbers = Object.entries(JSON.parse(counts) as Record<string, number>);
  return {
    service,
    ...(erasedAt && { erasedAt: timestampFromDate(erasedAt) }),
    counts: Object.fromEntries(numbers.map(([kind, number]) => [kind, BigInt(number)])),
  };
}
