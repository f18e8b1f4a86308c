/** Whose mail of the system is: an account of nobody. The nil UUID (RFC 9562 section 5.9); no generator makes it. */
export const SYSTEM_ACCOUNT_ID = '00000000-0000-0000-0000-000000000000'
