// How well bounces are read, on labeled emails: `$POSTHORN_CORPORA/bounce` (labels.json, mails/).
//
// Sisimai's Perl edition reads the same files when it is installed (Debian: libsisimai-perl). detected: an email labeled as a
// bounce is read as one, or as a delay notice where it is one; a complaint as a complaint. hard: the share of recipients that
// agree with the label on whether the address is proven invalid. false hard: those that we would suppress and the label would
// not. Every email is read with LF, CRLF and CR; the worst result counts.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Report, readReport } from '../src/mail/reports/classify.ts'

interface Label {
  readonly hard: boolean
  readonly feedback: string | null
  readonly reason: string
}
type Kind = 'bounce' | 'complaint' | 'auto_reply' | 'delivered'

const folder = process.env['POSTHORN_CORPORA']
if (folder === undefined) throw new Error('POSTHORN_CORPORA names no folder')
const mails = join(folder, 'bounce', 'mails')
const labels = JSON.parse(readFileSync(join(folder, 'bounce', 'labels.json'), 'utf8')) as Record<string, Label[]>
const showAll = process.argv.includes('--all')

function kindOf({ reason, feedback }: Label): Kind {
  if (reason === 'feedback' || feedback !== null) return 'complaint'
  if (reason === 'vacation') return 'auto_reply'
  return reason === 'delivered' ? 'delivered' : 'bounce'
}

function isRight(report: Report, kind: Kind): boolean {
  if (kind === 'bounce') return report.kind === 'bounce' || report.kind === 'delayed'
  return report.kind === kind
}

const ENDS = { LF: '\n', CRLF: '\r\n', CR: '\r' } as const

function withEnds(raw: Buffer, end: string): Buffer {
  return Buffer.from(raw.toString('latin1').replace(/\r\n|\r|\n/g, end), 'latin1')
}

interface Score {
  bounces: number
  detected: number
  judged: number
  agreed: number
  falseHard: number
  mistaken: number
  slowestMs: number
}

function score(end: string, print: boolean): Score {
  const sum: Score = { bounces: 0, detected: 0, judged: 0, agreed: 0, falseHard: 0, mistaken: 0, slowestMs: 0 }
  for (const name of readdirSync(mails).toSorted()) {
    const label = labels[name]
    const first = label?.[0]
    if (label === undefined || first === undefined) continue
    const started = performance.now()
    const report = readReport(withEnds(readFileSync(join(mails, name)), end))
    sum.slowestMs = Math.max(sum.slowestMs, performance.now() - started)
    const kind = kindOf(first)
    const say = (what: string): void => {
      if (print) console.log(`${what.padEnd(12)} ${name}  ${told(report)}  label: ${JSON.stringify(label)}`)
    }
    if (kind === 'auto_reply' || kind === 'delivered') {
      if (report.kind === 'bounce') sum.mistaken++
      if (!isRight(report, kind)) say('mistaken')
      continue
    }
    sum.bounces++
    if (!isRight(report, kind)) {
      if (kind === 'complaint' && report.kind === 'bounce') sum.mistaken++
      say('missed')
      continue
    }
    sum.detected++
    if (report.kind === 'complaint') continue
    const ours = report.kind === 'bounce' ? report.recipients.map(({ verdict }) => verdict.type === 'hard') : [false]
    for (const [index, one] of label.entries()) {
      sum.judged++
      const hard = ours[index] ?? ours[0] ?? false
      if (hard === one.hard) sum.agreed++
      else say(hard ? 'false hard' : 'missed hard')
      if (hard && !one.hard) sum.falseHard++
    }
  }
  return sum
}

function told(report: Report): string {
  if (!('recipients' in report)) return report.kind
  const words = report.recipients.map(
    ({ action, smtpCode, enhanced, command, verdict, diagnostic }) =>
      `${action} ${smtpCode} ${enhanced} ${command} ${verdict.category} "${diagnostic?.slice(0, 200)}"`,
  )
  return `${report.kind} [${words.join(' | ')}]`
}

const percent = (part: number, whole: number): string => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`
function line(who: string, one: Score): string {
  return `${who.padEnd(16)} detected ${percent(one.detected, one.bounces)} of ${one.bounces}, hard agreement ${percent(one.agreed, one.judged)} of ${one.judged}, false hard ${percent(one.falseHard, one.judged)}, complaints and auto-replies as bounces ${one.mistaken}, slowest ${one.slowestMs.toFixed(0)} ms`
}

for (const [name, end] of Object.entries(ENDS))
  console.log(line(`posthorn ${name}`, score(end, showAll && name === 'LF')))

/** Prints the reason of each recipient and whether it is hard, by the name of the email. */
const SISIMAI = `use Sisimai; use JSON::PP; my %o; for my $f (glob("$ARGV[0]/*.eml")) { my ($n) = $f =~ m{([^/]+)$};
my $r = eval { (Sisimai->can('rise') ? Sisimai->rise($f, delivered => 1, vacation => 1) : Sisimai->make($f, delivered => 1, vacation => 1)) } || []; 
$o{$n} = [map { { reason => $_->reason, hard => ($_->can('hardbounce') ? $_->hardbounce : !$_->softbounce) ? 1 : 0 } } @$r]; }
print encode_json(\\%o);`

function sisimai(): Score | null {
  let printed: string
  try {
    printed = execFileSync('perl', ['-e', SISIMAI, mails], {
      encoding: 'utf8',
      maxBuffer: 1e8,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  } catch {
    return null
  }
  const found = JSON.parse(printed) as Record<string, { reason: string; hard: number }[]>
  const sum: Score = { bounces: 0, detected: 0, judged: 0, agreed: 0, falseHard: 0, mistaken: 0, slowestMs: 0 }
  for (const [name, label] of Object.entries(labels)) {
    const kind = label[0] === undefined ? 'delivered' : kindOf(label[0])
    const theirs = found[name] ?? []
    if (kind === 'auto_reply' || kind === 'delivered') {
      if (theirs.some(({ reason }) => reason !== kind && reason !== 'vacation')) sum.mistaken++
      continue
    }
    sum.bounces++
    if (theirs.length === 0) continue
    sum.detected++
    if (kind === 'complaint') continue
    for (const [index, one] of label.entries()) {
      const hard = (theirs[index] ?? theirs[0])?.hard === 1
      sum.judged++
      if (hard === one.hard) sum.agreed++
      if (hard && !one.hard) sum.falseHard++
    }
  }
  return sum
}

const theirs = sisimai()
console.log(theirs === null ? 'sisimai          not installed' : line('sisimai', theirs))
