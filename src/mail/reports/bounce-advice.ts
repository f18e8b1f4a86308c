// Explains bounces to people: whose problem it is, and what to do next. The categories are those of the classifier; the
// wording follows what receivers publish about their own responses.

import { type BounceCategory, bounceFromReply } from '../smtp/bounce.ts'

/** Where the problem lies: the recipient's address, the mail's content, our reputation, the receiving side, our set-up. */
export type BounceMatter = 'address' | 'content' | 'reputation' | 'receiver' | 'setup' | 'unclear'

export interface BounceAdvice {
  readonly matter: BounceMatter
  readonly meaning: string
  readonly next: string
}

/** For the categories that need nothing at first: what to know, or to do, when they last. */
const IF_LASTING = {
  mailbox_full: 'Three such emails within 14 days without a delivery suppress the address.',
  rate_limited: 'If it continues, send more slowly and raise the volume over days.',
} as const

const ADVICE: Readonly<Record<BounceCategory | 'spam_complaint', BounceAdvice>> = {
  invalid_recipient: {
    matter: 'address',
    meaning: 'The receiving server says that no such mailbox exists.',
    next: 'Ask the person for another address. This one is suppressed; remove it from the suppressions only when they say it is right.',
  },
  bad_domain: {
    matter: 'address',
    meaning: 'The domain of the address does not exist or takes no mail.',
    next: 'Check the domain for typing mistakes; the validation endpoint suggests a correction.',
  },
  mailbox_full: {
    matter: 'receiver',
    meaning: 'The mailbox exists but is full.',
    next: `Nothing for now. ${IF_LASTING.mailbox_full}`,
  },
  inactive_mailbox: {
    matter: 'receiver',
    meaning: 'The mailbox exists but is disabled or has not been used for a long time.',
    next: 'Reach the person another way, and stop sending to this address if that fails.',
  },
  message_too_large: {
    matter: 'content',
    meaning: 'The email is larger than the receiver accepts.',
    next: 'Send a link instead of the attachments; many receivers stop at 10 to 25 MB.',
  },
  rate_limited: {
    matter: 'reputation',
    meaning:
      'The receiver accepts email from us more slowly than it was sent, or defers unknown senders (greylisting).',
    next: `Nothing for one email. ${IF_LASTING.rate_limited}`,
  },
  dns_failure: {
    matter: 'receiver',
    meaning: "The receiving domain's DNS does not answer.",
    next: 'Try again later; check that the domain is spelled correctly.',
  },
  connection: {
    matter: 'receiver',
    meaning: 'No connection to the receiving servers could be made, or it broke.',
    next: 'Try again later. If it happens with every domain, check port 25 of this machine with posthorn doctor.',
  },
  expired: {
    matter: 'receiver',
    meaning: 'The receiver deferred the email until it expired.',
    next: 'The responses to the attempts say why; try again once that is resolved.',
  },
  content_rejected: {
    matter: 'content',
    meaning: 'The receiver rejected the email because of its content.',
    next: 'Score the content, check its links and attachments, then send again. The address is not suppressed.',
  },
  policy: {
    matter: 'setup',
    meaning: "The email breaks one of the receiver's rules.",
    next: 'Read its response: it usually names the rule, often with a link that explains it.',
  },
  reputation: {
    matter: 'reputation',
    meaning: 'The receiver does not trust the sending address or domain, often because of a blocklist.',
    next: 'posthorn doctor checks the blocklists; ask the one it names to remove the entry, and find out what led to it.',
  },
  authentication: {
    matter: 'setup',
    meaning: 'SPF, DKIM or DMARC did not pass at the receiver.',
    next: 'Verify the sending domain: the records found are shown beside those expected.',
  },
  protocol: {
    matter: 'unclear',
    meaning: 'The two servers did not understand each other.',
    next: 'Read the SMTP transcript of the attempt and tell the operator of the receiving server.',
  },
  unknown: {
    matter: 'unclear',
    meaning: 'The response matches none of the known cases.',
    next: 'Read the response in the attempt. The address is not suppressed because of it.',
  },
  spam_complaint: {
    matter: 'reputation',
    meaning: 'The recipient marked the email as spam.',
    next: 'Send nothing more to them; the address is suppressed. Find out how it got on the list.',
  },
}

/** @param category from the API contract; an unknown one gets the advice for `unknown` */
export function adviceFor(category: string): BounceAdvice {
  return Object.hasOwn(ADVICE, category) ? ADVICE[category as keyof typeof ADVICE] : ADVICE.unknown
}

/** For mail that its sender's or its receiver's rule lets go by TLS alone. */
export const WITHOUT_TLS: BounceAdvice = {
  matter: 'receiver',
  meaning:
    'The email or the receiving domain requires TLS, and a TLS connection to the receiver could not be established.',
  next: 'If the email required it, send with tls_policy opportunistic if unencrypted delivery is acceptable; otherwise contact the receiving side.',
}
/** How a response ends in which delivery has noted such a rule. */
const RULE_NOTED = / \(TLS is required by [^()]+\)$/

/** Mail that is sent to no server: delivery notes why, without a reply code. */
const REFUSED_HERE = /^5\.4\.6 (the mail would loop:)?/

const LOOPS: BounceAdvice = {
  matter: 'setup',
  meaning: 'The MX record of the receiving domain names this service itself, which has no mailboxes for it.',
  next: 'Correct the MX record of the domain, so that it names the server with the mailboxes, then retry.',
}
const AT_PRIVATE_ADDRESS: BounceAdvice = {
  matter: 'setup',
  meaning:
    "The receiving domain's servers have private or reserved addresses, and email is sent to public addresses only.",
  next: 'Check that the domain is spelled correctly. If its servers are in your own network, the operator can allow that with POSTHORN_ALLOW_PRIVATE_NETWORKS or use a relay; otherwise its owner has to correct its DNS records.',
}

/** Advice on mail that this service refuses to send to the servers of the domain; null: another response. */
export function refusedHere(response: unknown): BounceAdvice | null {
  const [ours, loops] = (typeof response === 'string' ? REFUSED_HERE.exec(response) : null) ?? []
  if (ours === undefined) return null
  return loops === undefined ? AT_PRIVATE_ADDRESS : LOOPS
}

/** The enhanced codes that the service itself assigns when no server answered. A second look makes the first two bounces. */
const OF_OURS: Readonly<Record<string, BounceCategory>> = {
  '4.1.2': 'bad_domain',
  '4.4.4': 'bad_domain',
  '4.4.3': 'dns_failure',
}

export interface DeferralResponse {
  /** null when no server answered */
  readonly code: number | null
  readonly enhanced: string | null
  readonly text: string
}

export interface DeferralAdvice extends BounceAdvice {
  /** `tls_required`, or the bounce category that the deferral would end in. */
  readonly reason: BounceCategory | 'tls_required'
  /** What to do when the deferrals do not end. */
  readonly ifLasting: string
}

/** @returns null when the response does not tell the cause */
export function deferralAdvice(response: DeferralResponse): DeferralAdvice | null {
  if (RULE_NOTED.test(response.text)) return { reason: 'tls_required', ...WITHOUT_TLS, ifLasting: WITHOUT_TLS.next }
  const reason = deferralCategory(response)
  if (reason === null) return null
  const advice = ADVICE[reason]
  const lasting: Partial<Record<BounceCategory, string>> = IF_LASTING
  return { reason, ...advice, ifLasting: lasting[reason] ?? advice.next }
}

function deferralCategory(response: DeferralResponse): BounceCategory | null {
  const { code, enhanced, text } = response
  if (code === null) return OF_OURS[enhanced ?? ''] ?? 'connection'
  const { category } = bounceFromReply({ code, enhanced, text, lines: [] }, 'rcpt')
  return category === 'expired' || category === 'unknown' ? null : category
}
