// A relay's reply about us is not an answer about a mail. The relay belongs to the operator: whether it knows us, wants TLS or
// lets us relay must be corrected there or in our settings. The mail waits for that, and no address is blamed. What a relay
// says about the sender, the message or the recipient counts like a receiver's reply.

import type { FinalReply, Verdict } from './types.ts'

/** RFC 4954 section 6: log in, or start TLS. These codes have no other meaning. */
const ADMISSION_CODES: ReadonlySet<number | null> = new Set([530, 534, 535, 538])

const ADMISSION = new RegExp(
  [
    'relay(?:ing)? (?:access )?(?:is )?(?:denied|not (?:permitted|allowed|authorized)|prohibited)',
    "(?:unable|not (?:permitted|allowed|authorized)) to relay|(?:do(?:es)? not|don't|cannot) relay|not in my list of allowed",
    'authentication (?:is )?(?:required|needed)|requires? (?:smtp )?auth|client (?:was |is )?not authenticated|authrequired',
    '(?:must|please) (?:authenticate|log ?in)|(?:auth(?:enticate|entication)?|log ?in)(?: command)? first|not logged in',
    'must (?:issue a )?starttls|(?:starttls|tls|encryption) (?:is )?(?:required|needed)|requires? (?:starttls|tls|encryption)',
    // Postfix rejects a client only at RCPT.
    'client host',
  ].join('|'),
  'i',
)

/** A missing proof of the sender's domain concerns the mail, although receivers also call it authentication. */
const SENDERS_PROOF = /\b(?:spf|dkim|dmarc)\b/i

/** Whether the reply is about us. A status X.1.z is about an address, whatever the words say. */
function isAdmission({ code, enhanced, text }: FinalReply): boolean {
  if (enhanced?.split('.')[1] === '1') return false
  return ADMISSION_CODES.has(code) || (ADMISSION.test(text) && !SENDERS_PROOF.test(text))
}

export function relayVerdict(verdict: Verdict): Verdict {
  const { kind, finalReply } = verdict
  if (finalReply.code === null || (kind !== 'bounced' && kind !== 'deferred')) return verdict
  if (kind === 'deferred' && verdict.cause !== 'recipient') return verdict
  const { command } = verdict
  if (command !== 'connect' && !isAdmission(finalReply)) return verdict
  return { kind: 'deferred', finalReply, cause: 'connection', category: 'connection', command }
}
