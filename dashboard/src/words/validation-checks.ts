// What the checks of an address found, in words. Independent of the browser.

/** As returned by the API. */
export interface Validated {
  readonly validation_checks: Readonly<
    Record<
      | 'syntax_valid'
      | 'domain_exists'
      | 'has_mx_records'
      | 'is_disposable'
      | 'is_role_account'
      | 'mailbox_exists'
      | 'is_catch_all'
      | 'smtp_check_performed',
      boolean
    >
  >
  readonly suggestions: readonly string[]
  readonly did_you_mean: string | null
}

export interface Finding {
  readonly words: string
  /** `robot`: neither good nor bad, or not known. */
  readonly state: 'ok' | 'warning' | 'robot'
}

const good = (words: string): Finding => ({ words, state: 'ok' })
const bad = (words: string): Finding => ({ words, state: 'warning' })
const open = (words: string): Finding => ({ words, state: 'robot' })

/**
 * Nothing is looked up for a text that is no address. Only a server that was asked and does not accept every address tells
 * whether a mailbox exists.
 */
export function findingsOf({ validation_checks: checks }: Pick<Validated, 'validation_checks'>): readonly Finding[] {
  if (!checks.syntax_valid) return [bad('invalid syntax')]
  const wasAsked = checks.smtp_check_performed
  return [
    good('valid syntax'),
    checks.domain_exists ? good('the domain exists') : bad('the domain does not exist'),
    checks.has_mx_records ? good('the domain has MX records') : bad('the domain has no MX records'),
    !wasAsked || checks.is_catch_all
      ? open('unknown whether the mailbox exists')
      : checks.mailbox_exists
        ? good('the mailbox exists')
        : bad('the mailbox does not exist'),
    checks.is_disposable ? bad('a disposable address') : good('not a disposable address'),
    checks.is_role_account ? bad('a role address such as info@') : good('not a role address'),
    checks.is_catch_all
      ? open('the domain accepts every address')
      : open(
          wasAsked ? 'the domain does not accept every address' : 'unknown whether the domain accepts every address',
        ),
    open(wasAsked ? 'its mail server was checked' : 'its mail server was not checked'),
  ]
}

/** What the service adds; a correction is shown by itself. */
export function notesOf({
  suggestions,
  did_you_mean: meant,
}: Pick<Validated, 'suggestions' | 'did_you_mean'>): readonly string[] {
  return suggestions.filter((note) => meant === null || !note.includes(meant))
}
