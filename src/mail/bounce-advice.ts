// What a bounce means, for people: whose matter it is, and what to do next. The categories are those of the classifier; the
// words follow what the receivers themselves publish about their answers.

import { type BounceCategory, bounceFromReply } from './smtp-bounce.ts'

/** Whose matter it is: the recipient's address, the mail's content, our standing, the receiving side, our set-up. */
export type BounceMatter = 'address' | 'content' | 'reputation' | 'receiver' | 'setup' | 'unclear'

export interface BounceAdvice {
  readonly matter: BounceMatter
  readonly meaning: string
  readonly next: string
}

const ADVICE: Readonly<Record<BounceCategory | 'spam_complaint', BounceAdvice>> = {
  invalid_recipient: {
    matter: 'address',
    meaning: 'The receiving server says that no such mailbox exists.',
    next: 'Ask the person for another address. This one is suppressed; remove it from the suppressions only when they say it is right.',
  },
  bad_domain: {
    matter: 'address',
    meaning: 'The domain of the address does not exist or takes no mail.',
    next: 'Look for a typing mistake in the domain; the validation endpoint suggests a correction.',
  },
  mailbox_full: {
    matter: 'receiver',
    meaning: 'The mailbox exists and is full.',
    next: 'Nothing now. Three such mails within 14 days without a delivery suppress the address.',
  },
  inactive_mailbox: {
    matter: 'receiver',
    meaning: 'The mailbox exists and is switched off or has not been used for long.',
    next: 'Reach the person another way, and stop sending to this address if that fails.',
  },
  message_too_large: {
    matter: 'content',
    meaning: 'The mail is larger than the receiver takes.',
    next: 'Send a link in place of the attachments; many receivers stop at 10 to 25 MB.',
  },
  rate_limited: {
    matter: 'reputation',
    meaning: 'The receiver takes mail from us more slowly than it was sent, or puts unknown senders off (greylisting).',
    next: 'Nothing for one mail. If it goes on, send more slowly and raise the volume over days.',
  },
  dns_failure: {
    matter: 'receiver',
    meaning: "The receiving domain's DNS did not answer for as long as we tried.",
    next: 'Try again later; check that the domain is spelled right.',
  },
  connection: {
    matter: 'receiver',
    meaning: 'No connection to the receiving servers came about, or it broke.',
    next: 'Try again later. If it happens with every domain, look at port 25 of this machine: posthorn doctor.',
  },
  expired: {
    matter: 'receiver',
    meaning: 'The receiver put the mail off until its time was over.',
    next: 'The answers of the attempts say why; try again when that is over.',
  },
  content_rejected: {
    matter: 'content',
    meaning: 'The receiver refused the mail for what is in it.',
    next: 'Score the content, look at its links and attachments, then send again. The address is not suppressed.',
  },
  policy: {
    matter: 'setup',
    meaning: "The mail breaks a rule of the receiver's.",
    next: 'Read its answer: it mostly names the rule, often with an address that explains it.',
  },
  reputation: {
    matter: 'reputation',
    meaning: 'The receiver does not trust the sending address or domain, often because of a blocklist.',
    next: 'posthorn doctor asks the lists; ask the one that is named to lift the entry, and find what led to it.',
  },
  authentication: {
    matter: 'setup',
    meaning: 'SPF, DKIM or DMARC did not pass at the receiver.',
    next: 'Verify the sending domain: the records found are shown beside those wanted.',
  },
  protocol: {
    matter: 'unclear',
    meaning: 'The two servers did not understand one another.',
    next: 'Read the dialogue of the attempt and tell the operator of the receiving server.',
  },
  unknown: {
    matter: 'unclear',
    meaning: 'The answer fits none of the known cases.',
    next: 'Read it: it stands in the attempt. The address is not suppressed for it.',
  },
  spam_complaint: {
    matter: 'reputation',
    meaning: 'The recipient marked the mail as spam.',
    next: 'Send nothing more to them; it is suppressed. Ask how the address came onto the list.',
  },
}

/** @param category of the contract; one that is not known is `unknown` */
export function adviceFor(category: string): BounceAdvice {
  return Object.hasOwn(ADVICE, category) ? ADVICE[category as keyof typeof ADVICE] : ADVICE.unknown
}

/** Where no server answered: what the service says of it itself. */
const OF_OURS: Readonly<Record<string, BounceCategory>> = {
  '4.1.2': 'dns_failure',
  '4.4.3': 'dns_failure',
  '4.4.4': 'dns_failure',
  '4.7.5': 'policy',
}

/**
 * What the answer that put a mail off is about, as the bounce would say it that comes of it; null where it does not tell.
 *
 * @param code null: no server answered
 */
export function deferralCategory(said: {
  readonly code: number | null
  readonly enhanced: string | null
  readonly text: string
}): BounceCategory | null {
  const { code, enhanced, text } = said
  if (code === null) return OF_OURS[enhanced ?? ''] ?? 'connection'
  const { category } = bounceFromReply({ code, enhanced, text, lines: [] }, 'rcpt')
  return category === 'expired' || category === 'unknown' ? null : category
}
