import type { Turn } from '@agentmesh/proto/sessions/v1';

/** More than an executor makes between two stored events. */
const perAttempt = 1_000_000;
/** Later ones begin again: numbers have at most nine digits. */
const mostAttempts = 999;

/**
 * The number before the first partial event of an attempt, until it has stored an event. An executor that takes a run over may say something else than the
 * one that died, from the same stored event on, so its numbers are other ones: a viewer who has heard the dead one sees a gap.
 */
export function numberBefore({ attempt, isTakeover }: Pick<Turn, 'attempt' | 'isTakeover'>): number {
  return isTakeover ? ((attempt - 1) % mostAttempts) * perAttempt : 0;
}

/** The number before the first partial event of the attempt that has made this one; 0 for 0. */
export function beginOf(partial: number): number {
  return Math.floor(Math.max(partial - 1, 0) / perAttempt) * perAttempt;
}
