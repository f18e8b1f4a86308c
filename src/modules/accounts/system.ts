/** The account that sends the system's own mail; it belongs to nobody. The nil UUID (RFC 9562 section 5.9), never generated. */
export const SYSTEM_ACCOUNT_ID = '00000000-0000-0000-0000-000000000000'
