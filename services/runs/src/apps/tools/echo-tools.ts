import { SAVE_ARTIFACT } from './save-artifact.ts';
import { SET_STATE } from './set-state.ts';

/** Tools that every agent of an echo model has, for its directives. */
export const echoTools: readonly string[] = [SET_STATE, SAVE_ARTIFACT];
