// Reads DMARC aggregate reports (RFC 9990, and the older form) that arrive by mail, and extracts the data we
// keep: what the servers of a receiver saw of a domain's mail in a day, by source address.
//
// Reading is bounded (part.ts). The XML is read as a stream, without ever being a tree, at most 20 levels deep. A document
// type is refused, so there are no entities but the predefined ones. All records count in the totals; the first 5,000 are looked
// at, and the 200 with the most messages are kept, each with at most 10 signatures, 5 SPF results and 5 reasons. Nothing throws.
// The sender is not verified here (see dkim-check.ts), so the content is only a claim.

import { isIP } from 'node:net'
import { SaxesParser } from 'saxes'
import { canonicalAddress } from '../../platform/addresses.ts'
import { reportDomain, reportIn, reportText, unpacked } from './part.ts'

export interface DmarcSignature {
  readonly domain: string
  readonly selector: string | null
  readonly result: string
}

export interface DmarcSpf {
  readonly domain: string
  readonly scope: string | null
  readonly result: string
}

export interface DmarcReason {
  readonly type: string
  readonly comment: string | null
}

/** Messages of one source with the same fate. */
export interface DmarcRecord {
  /** Null when the report names no address. */
  readonly source_ip: string | null
  readonly count: number
  /** What the receiver did: none, pass, quarantine, reject. */
  readonly disposition: string
  /** Whether a signature of an aligned domain passed. */
  readonly dkim_aligned: boolean
  readonly spf_aligned: boolean
  readonly reasons: readonly DmarcReason[]
  /** In lower case. */
  readonly header_from: string
  readonly envelope_from: string | null
  readonly envelope_to: string | null
  readonly dkim: readonly DmarcSignature[]
  readonly spf: readonly DmarcSpf[]
}

/** The policy that the receiver found; what it did not name is null. */
export interface DmarcPolicy {
  readonly p: string | null
  readonly sp: string | null
  readonly np: string | null
  readonly adkim: string | null
  readonly aspf: string | null
  readonly testing: boolean
}

export interface DmarcTotals {
  readonly messages: number
  /** Of these: passed DMARC, by DKIM or SPF. */
  readonly passed: number
  readonly quarantined: number
  readonly rejected: number
}

export interface DmarcReport {
  readonly organization: string
  readonly reportId: string
  readonly contact: string | null
  readonly begin: Date
  readonly end: Date
  /** Where the policy was found, in lower case. */
  readonly domain: string
  readonly policy: DmarcPolicy
  /** Of all records. */
  readonly totals: DmarcTotals
  /** Most messages first. */
  readonly records: readonly DmarcRecord[]
}

const LEVELS_MOST = 20
const TEXT_CHARS = 1_000
const TEXTS_MOST = 100
const RECORDS_MOST = 5_000
const RECORDS_KEPT = 200
const SIGNATURES_MOST = 10
const SPF_MOST = 5
const REASONS_MOST = 5
const WORD_CHARS = 32
const COUNT_MOST = 1e12
const LATEST = Date.UTC(2100, 0)
const TYPES = /^(?:application\/(?:zip|x-zip|x-zip-compressed|gzip|x-gzip|xml|octet-stream)|text\/xml)$/

/** The first part of a mail that is a report; null when there is none. @param raw the mail as received */
export function readDmarcReportMail(raw: Buffer): DmarcReport | null {
  return reportIn(raw, { types: TYPES, parse: parseDmarcReport })
}

/** Parses an attached report: XML, packed or not. Null when it is not a report, or unpacks to too much. */
export function parseDmarcReport(bytes: Buffer): DmarcReport | null {
  try {
    const xml = unpacked(bytes)
    return xml === null ? null : reportOf(readElements(decoded(xml)))
  } catch {
    return null
  }
}

/** RFC 9990 has UTF-8; some write UTF-16, which XML allows with a byte order mark. */
function decoded(xml: Buffer): string {
  const mark = xml.readUInt16BE(0)
  return new TextDecoder(mark === 0xfffe ? 'utf-16le' : mark === 0xfeff ? 'utf-16be' : 'utf-8').decode(xml)
}

/** The texts of leaf elements by name. A name that comes more than once has its last text. */
type Texts = Map<string, string>

interface Elements {
  /** By the path below the root: `policy_published/p`. */
  readonly head: Texts
  readonly records: FoundRecord[]
  totals: DmarcTotals
}

interface FoundRecord {
  readonly texts: Texts
  readonly dkim: Texts[]
  readonly spf: Texts[]
  readonly reasons: Texts[]
}

/** Groups within a record, by their path below it. */
const GROUPS = new Map<string, { readonly of: 'dkim' | 'spf' | 'reasons'; readonly most: number }>([
  ['auth_results/dkim', { of: 'dkim', most: SIGNATURES_MOST }],
  ['auth_results/spf', { of: 'spf', most: SPF_MOST }],
  ['row/policy_evaluated/reason', { of: 'reasons', most: REASONS_MOST }],
])

/** @throws when the text is no well-formed XML, has a document type, or nests too deep */
function readElements(xml: string): Elements {
  const found: Elements = {
    head: new Map(),
    records: [],
    totals: NO_MESSAGES,
  }
  const path: string[] = []
  let record: FoundRecord | null = null
  let group: Texts | null = null
  let text = ''
  const parser = new SaxesParser({ xmlns: false, position: false })
  const below = (levels: number): string => path.slice(levels).join('/')
  const add = (more: string): void => {
    if (text.length < TEXT_CHARS) text += more.slice(0, TEXT_CHARS)
  }
  const fail = (why: string): never => {
    throw new Error(why)
  }
  parser.on('error', (error) => fail(error.message))
  parser.on('doctype', () => fail('a document type'))
  parser.on('text', add)
  parser.on('cdata', add)
  parser.on('opentag', ({ name }) => {
    path.push(name.slice(name.indexOf(':') + 1))
    text = ''
    if (path.length > LEVELS_MOST || (path.length === 1 && path[0] !== 'feedback')) fail('no report')
    if (below(1) === 'record') record = { texts: new Map(), dkim: [], spf: [], reasons: [] }
    const kind = record === null ? undefined : GROUPS.get(below(2))
    if (record === null || kind === undefined) return
    group = new Map()
    if (record[kind.of].length < kind.most) record[kind.of].push(group)
  })
  parser.on('closetag', () => {
    if (group !== null && GROUPS.has(path.slice(2, -1).join('/'))) keep(group, path.at(-1) ?? '', text)
    else if (record !== null) keep(record.texts, below(2), text)
    else keep(found.head, below(1), text)
    if (GROUPS.has(below(2))) group = null
    if (record !== null && below(1) === 'record') {
      found.totals = plus(found.totals, fateOf(record.texts))
      if (found.records.length < RECORDS_MOST) found.records.push(record)
      record = null
    }
    path.pop()
    text = ''
  })
  parser.write(xml).close()
  return found
}

function keep(texts: Texts, name: string, text: string): void {
  if (texts.size < TEXTS_MOST) texts.set(name, text)
}

type Fate = Pick<DmarcRecord, 'count' | 'disposition' | 'dkim_aligned' | 'spf_aligned'>

const NO_MESSAGES: DmarcTotals = { messages: 0, passed: 0, quarantined: 0, rejected: 0 }

/** What became of the messages of some records. */
export function totalsOf(records: readonly Fate[]): DmarcTotals {
  return records.reduce(plus, NO_MESSAGES)
}

function plus(totals: DmarcTotals, { count, disposition, dkim_aligned, spf_aligned }: Fate): DmarcTotals {
  const sum = (total: number, counts: boolean): number => Math.min(COUNT_MOST, total + (counts ? count : 0))
  return {
    messages: sum(totals.messages, true),
    passed: sum(totals.passed, dkim_aligned || spf_aligned),
    quarantined: sum(totals.quarantined, disposition === 'quarantine'),
    rejected: sum(totals.rejected, disposition === 'reject'),
  }
}

function fateOf(texts: Texts): Fate {
  return {
    count: countIn(texts),
    disposition: wordIn(texts, 'row/policy_evaluated/disposition') ?? 'none',
    dkim_aligned: isAligned(texts, 'dkim'),
    spf_aligned: isAligned(texts, 'spf'),
  }
}

function reportOf({ head, records, totals }: Elements): DmarcReport | null {
  const domain = reportDomain(head.get('policy_published/domain') ?? '')
  const begin = secondsIn(head, 'report_metadata/date_range/begin')
  const end = secondsIn(head, 'report_metadata/date_range/end')
  const reportId = reportText(head.get('report_metadata/report_id'))
  if (domain === '' || !reportId || begin === null || end === null || end < begin) return null
  const policy = (name: string): string | null => wordIn(head, `policy_published/${name}`)
  return {
    organization: reportText(head.get('report_metadata/org_name')) ?? '',
    reportId,
    contact: reportText(head.get('report_metadata/email')) || null,
    begin,
    end,
    domain,
    policy: {
      p: policy('p'),
      sp: policy('sp'),
      np: policy('np'),
      adkim: policy('adkim'),
      aspf: policy('aspf'),
      testing: policy('testing') === 'y',
    },
    totals,
    records: records
      .map(recordOf)
      .toSorted((a, b) => b.count - a.count)
      .slice(0, RECORDS_KEPT),
  }
}

function recordOf({ texts, dkim, spf, reasons }: FoundRecord): DmarcRecord {
  const ip = texts.get('row/source_ip')?.trim() ?? ''
  const name = (key: string): string | null => reportDomain(reportText(texts.get(`identifiers/${key}`)) ?? '') || null
  return {
    source_ip: isIP(ip) === 0 || ip.includes('%') ? null : canonicalAddress(ip),
    ...fateOf(texts),
    reasons: reasons.map((one) => ({
      type: wordIn(one, 'type') ?? '',
      comment: reportText(one.get('comment')) || null,
    })),
    header_from: name('header_from') ?? '',
    envelope_from: name('envelope_from'),
    envelope_to: name('envelope_to'),
    dkim: dkim.map((one) => ({
      domain: reportDomain(reportText(one.get('domain')) ?? ''),
      selector: reportDomain(reportText(one.get('selector')) ?? '') || null,
      result: wordIn(one, 'result') ?? 'none',
    })),
    spf: spf.map((one) => ({
      domain: reportDomain(reportText(one.get('domain')) ?? ''),
      scope: wordIn(one, 'scope'),
      result: wordIn(one, 'result') ?? 'none',
    })),
  }
}

function isAligned(texts: Texts, by: 'dkim' | 'spf'): boolean {
  return wordIn(texts, `row/policy_evaluated/${by}`) === 'pass'
}

function countIn(texts: Texts): number {
  const text = texts.get('row/count')?.trim() ?? ''
  return /^\d{1,15}$/.test(text) ? Math.min(Number(text), COUNT_MOST) : 0
}

/** A keyword in lower case; null when it is missing. */
function wordIn(texts: Texts, name: string): string | null {
  return reportText(texts.get(name))?.slice(0, WORD_CHARS).toWellFormed().toLowerCase() || null
}

function secondsIn(texts: Texts, name: string): Date | null {
  const text = texts.get(name)?.trim() ?? ''
  const ms = /^\d{1,12}$/.test(text) ? Number(text) * 1_000 : Number.NaN
  return ms <= LATEST ? new Date(ms) : null
}
