/** Number of notices that an account keeps, the newest ones. */
export const noticesKept = 500;
