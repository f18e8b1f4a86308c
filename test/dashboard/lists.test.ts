// The parts of the dashboard that need no browser: parsing the lists that people have, and working through them.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  type BulkCalls,
  everyRow,
  type Outcome,
  type Progress,
  runBulkCalls,
} from '../../dashboard/src/api/bulk-calls.ts'
import { csvText, readList, textOf } from '../../dashboard/src/files/csv.ts'
import {
  reasonOf,
  suppressionOf,
  suppressionRefusal,
  unknownReasons,
} from '../../dashboard/src/files/suppression-list.ts'
import { bareOf } from '../../dashboard/src/ui/pasted-address.ts'
import { domainForm } from '../../dashboard/src/words/domain-form.ts'
import { CONTACT_COLUMNS, contactOf, contactRefusal } from '../../src/modules/contacts/contact-list.ts'

test('what is written as CSV is read back the same, formulas too, except for white space at the ends', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', ';', '\n', '=', "'", '+', '@', ' ', 'é') })
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), (rows) => {
      const { entries } = readList(csvText([['email', 'name', 'note'], ...rows.map((row) => ['a@x.test', ...row])]))
      assert.deepEqual(
        entries.map(({ fields }) => [fields['name'], fields['note']]),
        rows,
      )
    }),
  )
  assert.equal(csvText([['=1+1', '@x', 2.5, null]]), "'=1+1,'@x,2.5,\r\n")
})

test('an unclosed quote costs only its own line, which is reported', () => {
  const good = Array.from({ length: 300 }, (_, i) => `good${i}@q.example,manual,,`)
  const text = ['email,reason,details,name', 'first@q.example,manual,"5 inch screen,x', ...good].join('\n')
  const { entries, faults } = readList(text)
  assert.deepEqual(
    entries.map(({ line, email }) => `${line} ${email}`),
    good.map((_, i) => `${i + 3} good${i}@q.example`),
  )
  assert.deepEqual(faults, [{ line: 2, text: '', message: 'The line has a quote that is never closed.' }])
  const closed = readList('email,details\na@q.example,"5 inch\nb@q.example,\nc@q.example,12"\nd@q.example,\n')
  assert.deepEqual(closed.swallowing, [2])
  assert.deepEqual(
    closed.entries.map(({ email }) => email),
    ['a@q.example', 'd@q.example'],
  )
})

test('files are read as spreadsheets write them: Windows-1252, UTF-16, CR only, a line that names the separator', () => {
  const name = (bytes: Uint8Array): string | undefined => readList(textOf(bytes)).entries[0]?.fields['name']
  const text = 'email;name\r\nj@x.test;Jörg “Jo” €\r\n'
  const known = new Map(Object.entries({ ö: 0xf6, '“': 0x93, '”': 0x94, '€': 0x80 }))
  assert.equal(name(Uint8Array.from(text, (char) => known.get(char) ?? char.charCodeAt(0))), 'Jörg “Jo” €')
  assert.equal(name(Buffer.from(text)), 'Jörg “Jo” €')
  assert.equal(name(Buffer.from(`\uFEFF${text}`, 'utf16le')), 'Jörg “Jo” €')
  for (const whole of [
    'email,name\ra@x.test,Al\rb@x.test,Bo\r',
    'sep=;\r\nemail;name\r\na@x.test;Al\r\nb@x.test;Bo\r\n',
  ]) {
    const { entries, without } = readList(whole)
    const found = entries.map(({ email, fields }) => `${email} ${fields['name']}`)
    assert.deepEqual([found, without], [['a@x.test Al', 'b@x.test Bo'], []])
  }
  assert.equal(readList('sep=;\nemail\na@x.test').entries[0]?.line, 3)
})

test('a row that is not subscribed is refused as a contact, and the consent proof of the others is kept', () => {
  const agreed = 'form,https://x.test/,"I agree, ""all""",2026-01-02T03:04:05.000Z,"two words,a,b"'
  const statuses = ['unsubscribed', 'bounced', 'complained', 'cleaned', 'Pending_Confirmation']
  const own = [
    'email,name,status,source,source_url,consent_text,consent_at,tags',
    `a@x.test,'=cmd|calc,subscribed,${agreed}`,
    ...statuses.map((status) => `${status}@x.test,,${status},${agreed}`),
  ]
  const rows = readList(own.join('\r\n')).entries
  assert.equal(rows.length, 6)
  assert.deepEqual(rows.filter((row) => contactRefusal(row) === null).map(contactOf), [
    {
      email: 'a@x.test',
      name: '=cmd|calc',
      source: 'form',
      tags: ['two words', 'a', 'b'],
      consent: { source_url: 'https://x.test/', consent_text: 'I agree, "all"', timestamp: '2026-01-02T03:04:05.000Z' },
    },
  ])
  const other = [
    'Address,Email Address,First Name,Last Name,TAGS,UNSUB_TIME',
    '1 Road,jo@x.test,Jo,Doe,"""One"",""Two""",',
    '2 Road,al@x.test,Al,,,2026-01-02',
  ]
  const { entries, headings } = readList(other.join('\n'))
  assert.deepEqual(entries.map(contactOf)[0], {
    email: 'jo@x.test',
    name: 'Jo Doe',
    source: 'import',
    tags: ['One', 'Two'],
  })
  assert.deepEqual(
    entries.map((entry) => contactRefusal(entry)?.split(',')[0] ?? null),
    [null, 'unsub_time has a time'],
  )
  assert.deepEqual(
    headings.filter((heading) => !CONTACT_COLUMNS.includes(heading.toLowerCase())),
    ['Address'],
  )
})

test('who unsubscribed and subscribed anew is a contact, who only unsubscribed is none', () => {
  const [before, left, after] = ['2025-12-31T23:59:59.000Z', '2026-01-02T03:04:05.000Z', '2026-01-02T03:04:05.001Z']
  for (const [confirmed, created, isContact] of [
    [after, before, true],
    ['', after, true],
    [before, after, false],
    ['', before, false],
    ['', '', false],
    // Another service's way to write a time, whose order is not known.
    ['12/31/2026', before, false],
  ] as const) {
    const row = `a@x.test,subscribed,${confirmed},${created},${left}`
    const { entries } = readList(`email,status,confirmed_at,created_at,unsubscribed_at\r\n${row}`)
    assert.deepEqual(
      entries.map((entry) => contactRefusal(entry) === null),
      [isContact],
      row,
    )
  }
})

test('names of contacts are found under the headings that spreadsheets use in other languages', () => {
  const named = (text: string): unknown =>
    readList(text)
      .entries.map(contactOf)
      .map((one) => 'name' in one && one.name)[0]
  for (const [email, first, last] of [
    ['E-Mail-Adresse', 'Vorname', 'Nachname'],
    ['E-Mail', 'Vorname', 'Name'],
    ['Adresse e-mail', 'Prénom', 'Nom'],
    ['Email', 'Pre\u0301nom', 'Nom'],
    ['Correo electrónico', 'Nombre', 'Apellidos'],
    ['Indirizzo email', 'Nome', 'Cognome'],
    ['E-mailadres', 'Voornaam', 'Achternaam'],
  ]) {
    const text = `${email};${first};${last}\nada@x.test;Ada;Lovelace\n`
    assert.equal(named(text), 'Ada Lovelace', text)
    const others = readList(text).headings.filter((one) => !CONTACT_COLUMNS.includes(one.toLowerCase()))
    assert.deepEqual(others, [], text)
  }
  assert.equal(named('email,Vorname,Nachname,Name\nada@x.test,Ada,,Ada Lovelace'), 'Ada Lovelace')
})

// Each row: a reason in the list of another service, and our reason for it; null: somebody is asked for it.
const REASONS: readonly (readonly [written: string, reason: string | null])[] = [
  ['', 'manual'],
  ['hard_bounce', 'hard_bounce'],
  ['Bounced', 'hard_bounce'],
  ['Hard-Bounce', 'hard_bounce'],
  ['HardBounce', 'hard_bounce'],
  ['spam', 'complaint'],
  ['Spam Complaint', 'complaint'],
  ['550 5.1.1 <jo@x.test>: no such user', 'hard_bounce'],
  ['550 5.7.1 blocked', null],
  ['unsubscribed', null],
  ['toString', null],
]
for (const [written, reason] of REASONS) {
  test(`the suppression reason «${written}» is taken for ${reason ?? 'none until somebody chooses one'}`, () => {
    assert.equal(reasonOf(written), reason)
    const { entries } = readList(
      csvText([
        ['email', 'reason', 'details', 'expires_at'],
        ['jo@x.test', written, '', ''],
      ]),
    )
    const [entry] = entries
    assert.ok(entry !== undefined)
    assert.equal(suppressionRefusal(entry, null) === null, reason !== null)
    assert.equal(suppressionRefusal(entry, 'complaint'), null)
    assert.deepEqual(unknownReasons([entry, entry]), reason === null ? [[written, 2]] : [])
    const words = /^\d/.test(written) || reason === null ? written : ''
    const sent = { email: 'jo@x.test', reason: reason ?? 'complaint', details: words, expires_at: '' }
    assert.deepEqual(suppressionOf(entry, 'complaint'), sent)
  })
}

test('a search text loses the white space around it, and an address the name before it', () => {
  for (const [typed, bare] of [
    ['  jo@x.test\n', 'jo@x.test'],
    ['Jo Doe <jo@x.test>', 'jo@x.test'],
    ['"Doe, Jo" < jo@x.test >; ', 'jo@x.test'],
    ['<20260102.1@shop.example>', '20260102.1@shop.example'],
    [' Less < more > than ', 'Less < more > than'],
    ['', ''],
  ] as const) {
    assert.equal(bareOf(typed), bare)
  }
})

test('an address or an internationalized name typed as a domain gets a specific hint', () => {
  assert.match(domainForm('user@example.com'), /after the @/)
  for (const name of ['münchen.de', 'mail.xn--mnchen-3ya.de']) assert.match(domainForm(name), /internationalized/)
  assert.match(domainForm('https://example.com/'), /without https/)
})

test('addresses are found by their heading or by their @, with their line numbers', () => {
  const headed = readList(
    '\uFEFFName;E-Mail;Reason\r\n"Jo; the\r\nfirst";jo@example.net;gone\r\n\r\nnobody;;\r\nAl;al@example.net\r\n',
  )
  assert.deepEqual(
    headed.entries.map(({ line, email, fields }) => [line, email, fields['reason']]),
    [
      [2, 'jo@example.net', 'gone'],
      [6, 'al@example.net', ''],
    ],
  )
  assert.deepEqual(headed.without, [{ line: 5, text: 'nobody, , ' }])
  const pasted = readList('jo@example.net\n\n  al@example.net , Al\nnobody')
  assert.deepEqual(
    pasted.entries.map(({ line, email }) => [line, email]),
    [
      [1, 'jo@example.net'],
      [3, 'al@example.net'],
    ],
  )
  assert.deepEqual(pasted.without, [{ line: 4, text: 'nobody' }])
})

function work(call: BulkCalls<number>['call'], given: Partial<BulkCalls<number>> = {}) {
  const told: Progress[] = []
  const waited: number[] = []
  const pause = async (ms: number): Promise<void> => void waited.push(ms)
  const { signal } = new AbortController()
  const items = Array.from({ length: 25 }, (_, i) => i)
  const tell = (progress: Progress): void => void told.push(progress)
  return { told, waited, done: runBulkCalls({ items, size: 10, call, tell, signal, pause, ...given }) }
}

const well = (part: readonly number[]): Outcome => ({ done: part.length, faults: [] })
const problem = (status: number, details: object = {}): Error =>
  Object.assign(new Error(`${status}`), { status, details })

test('a list is processed in parts, waits as long as it is told, and retries passing faults', async () => {
  let asked = 0
  const answers = [problem(429, { retry_after: 7 }), null, problem(503), problem(503), null, null]
  const { told, waited, done } = work(async (part) => {
    const error = answers[asked++]
    if (error instanceof Error) throw error
    return well(part)
  })
  assert.deepEqual(await done, { at: 25, total: 25, done: 25, faults: [], waits: 0 })
  assert.deepEqual(waited, [7_000, 4_000, 6_000])
  assert.deepEqual(
    told.filter(({ waits }) => waits === 0).map(({ at }) => at),
    [0, 10, 20, 25],
  )
})

test('a lasting fault ends the work, and stopping leaves the rest undone', async () => {
  await assert.rejects(work(() => Promise.reject(problem(403))).done, /403/)
  await assert.rejects(work(() => Promise.reject(problem(500))).done, /500/)
  const control = new AbortController()
  const stopped = work(
    async (part) => {
      control.abort()
      return well(part)
    },
    { signal: control.signal },
  )
  assert.equal((await stopped.done).at, 10)
  const waiting = new AbortController()
  const held = work(() => Promise.reject(problem(429, { retry_after: 60 })), {
    signal: waiting.signal,
    pause: async () => waiting.abort(),
  })
  assert.equal((await held.done).at, 0)
})

test('a list to which rows are added while it is read has each row once', async () => {
  const old = Array.from({ length: 25 }, (_, index) => `old${25 - index}`)
  const rows = [...old]
  const found = await everyRow(async (cursor) => {
    const from = cursor === '' ? 0 : rows.indexOf(cursor) + 1
    const data = rows.slice(from, from + 10)
    const last = data.at(-1) ?? null
    const next_cursor = last === rows.at(-1) ? null : last
    rows.unshift(`new${rows.length}`)
    return { data, pagination: { next_cursor } }
  })
  assert.deepEqual(found, old)
})
