/** Fewest and most characters (code points) of a password. */
export const minPasswordLength = 8;
export const maxPasswordLength = 256;
