import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

/** A moment as the public API writes it, in ISO 8601 and UTC; null where there is none. */
export function dateTime(moment: Timestamp | undefined): string | null {
  return moment === undefined ? null : timestampDate(moment).toISOString();
}
