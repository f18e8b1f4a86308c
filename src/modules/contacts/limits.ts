// The limits of contacts and of their confirmation mails (contract section 11).

export const LINK_LIVES_MS = 7 * 86_400_000
export const MAX_RESENDS = 3
export const RESEND_EVERY_MS = 3_600_000
/** Interval at which an unsubscribed contact may be asked again, up to MAX_EARLIER_CONSENTS times. */
export const ASK_BACK_EVERY_MS = 7 * 86_400_000
export const MAX_EARLIER_CONSENTS = 20
/** Confirmation mails to one address, over all accounts, within MAILS_COUNT_MS. */
export const MAX_MAILS_AN_ADDRESS = 3
export const MAILS_COUNT_MS = 7 * 86_400_000
/** More than the clocks of two machines differ. */
export const SKEW_MS = 60_000

export const MAX_ADDRESS_CHARS = 1_100
export const MAX_NAME_CHARS = 200
export const MAX_SOURCE_CHARS = 200
export const MAX_URL_CHARS = 2_048
export const MAX_CONSENT_CHARS = 10_000
export const MAX_TAGS = 50
export const MAX_TAG_CHARS = 128
export const MAX_AGENT_CHARS = 500
