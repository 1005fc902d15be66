import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt';

/** Time in ISO 8601 and UTC; null for undefined. */
export function dateTime(moment: Timestamp | undefined): string | null {
  return moment === undefined ? null : timestampDate(moment).toISOString();
}
