import { signal } from '@preact/signals';

/** The dialog that is open above the screen. */
export const isFinding = signal(false);
export const isShowingKeys = signal(false);
export const isMenuOpen = signal(false);
