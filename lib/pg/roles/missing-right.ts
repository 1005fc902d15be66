import pg from 'pg';

const INSUFFICIENT_PRIVILEGE = '42501';

/** The connecting role may not do what `message` says. An administrator has to. */
export class MissingRight extends Error {}

export function isRefused(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.code === INSUFFICIENT_PRIVILEGE;
}
