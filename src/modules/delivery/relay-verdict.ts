// What a relay says of us is no answer about a mail. It is the operator's own: whether it knows us, wants TLS or lets us
// relay is put right at the relay or in our settings, so the mail waits for that, and no address is blamed for it. What it says
// of the sender, the message or the recipient counts as a receiver's word does.

import type { Said, Verdict } from './types.ts'

/** RFC 4954 section 6: log in, or begin TLS. They have no other meaning. */
const ADMISSION_CODES: ReadonlySet<number | null> = new Set([530, 534, 535, 538])

const ADMISSION = new RegExp(
  [
    'relay(?:ing)? (?:access )?(?:is )?(?:denied|not (?:permitted|allowed|authorized)|prohibited)',
    "(?:unable|not (?:permitted|allowed|authorized)) to relay|(?:do(?:es)? not|don't|cannot) relay|not in my list of allowed",
    'authentication (?:is )?(?:required|needed)|requires? (?:smtp )?auth|client (?:was |is )?not authenticated|authrequired',
    '(?:must|please) (?:authenticate|log ?in)|(?:auth(?:enticate|entication)?|log ?in)(?: command)? first|not logged in',
    'must (?:issue a )?starttls|(?:starttls|tls|encryption) (?:is )?(?:required|needed)|requires? (?:starttls|tls|encryption)',
    // Postfix says at RCPT what it holds against a client.
    'client host',
  ].join('|'),
  'i',
)

/** That the sender's domain is not proven concerns the mail, though receivers call it authentication too. */
const SENDERS_PROOF = /\b(?:spf|dkim|dmarc)\b/i

/** Whether it speaks of us; a status X.1.z names an address, whatever the words are. */
function isAdmission({ code, enhanced, text }: Said): boolean {
  if (enhanced?.split('.')[1] === '1') return false
  return ADMISSION_CODES.has(code) || (ADMISSION.test(text) && !SENDERS_PROOF.test(text))
}

export function relayVerdict(verdict: Verdict): Verdict {
  const { kind, said } = verdict
  if (said.code === null || (kind !== 'bounced' && kind !== 'deferred')) return verdict
  if (kind === 'deferred' && verdict.cause !== 'recipient') return verdict
  const { command } = verdict
  if (command !== 'connect' && !isAdmission(said)) return verdict
  return { kind: 'deferred', said, cause: 'connection', category: 'connection', command }
}
