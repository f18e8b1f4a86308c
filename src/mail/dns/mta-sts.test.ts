import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseStsPolicy, stsAllows, stsRecordId } from './mta-sts.ts'

test('a policy record is found among others, and two such records count as none', () => {
  assert.equal(stsRecordId(['v=STSv1; id=20160831085700Z;']), '20160831085700Z')
  assert.equal(stsRecordId(['v=spf1 -all', 'v=STSv1;id=a1']), 'a1')
  for (const records of [
    [],
    ['v=STSv1; id=a', 'v=STSv1; id=b'],
    ['v=STSv1'],
    ['v=STSv1; id='],
    ['v=STSv1; id=a-b'],
    [`v=STSv1; id=${'a'.repeat(33)}`],
    ['v=STSv1; id=a; id=b'],
    ['v=STSv2; id=a'],
    [' v=STSv1; id=a'],
  ]) {
    assert.equal(stsRecordId(records), null, records.join(' | '))
  }
})

const LINES = ['version: STSv1', 'mode: enforce', 'mx: mail.example.com', 'mx: *.example.net', 'max_age: 604800']

test('a policy is read with either line end, its host names in lower case', () => {
  for (const end of ['\n', '\r\n']) {
    const text = `${LINES.join(end)}${end}`.replace('mail.', 'MAIL.')
    const expected = { mode: 'enforce', mx: ['mail.example.com', '*.example.net'], maxAge: 604_800 }
    assert.deepEqual(parseStsPolicy(text), expected)
  }
})

test('an invalid policy is rejected: a missing field, an invalid host name, no host', () => {
  for (const missing of LINES.keys()) {
    if (missing === 2 || missing === 3) continue
    assert.equal(parseStsPolicy(LINES.filter((_, index) => index !== missing).join('\n')), null, LINES[missing])
  }
  assert.equal(parseStsPolicy(LINES.filter((line) => !line.startsWith('mx')).join('\n')), null)
  for (const host of ['a b', '*', '*.', 'mx.*.example', '10.0.0.1/8', '']) {
    assert.equal(parseStsPolicy([...LINES, `mx: ${host}`].join('\n')), null, host)
  }
  assert.equal(parseStsPolicy('<html>mode: enforce</html>'), null)
  assert.equal(parseStsPolicy(LINES.join('\n').replace('604800', '6e5')), null)
})

test('`none` needs no host, the first of two modes counts, and a max_age over a year is capped at a year', () => {
  assert.equal(parseStsPolicy('version: STSv1\nmode: none\nmax_age: 86400')?.mode, 'none')
  assert.equal(parseStsPolicy([...LINES, 'mode: none'].join('\n'))?.mode, 'enforce')
  assert.equal(parseStsPolicy(LINES.join('\n').replace('604800', '9999999999'))?.maxAge, 31_557_600)
})

test('a policy with a very long line of blanks is read in linear time', () => {
  const blanks = ' '.repeat(60_000)
  for (const line of [`mx:${blanks}\rX`, `mx:${blanks}\u2028X`, `${blanks}mx${blanks}`, `a:${blanks}X${blanks}X`]) {
    assert.deepEqual(parseStsPolicy([...LINES, line].join('\n'))?.mx, ['mail.example.com', '*.example.net'])
  }
  assert.equal(parseStsPolicy(LINES.join('\n').replace('enforce', `${blanks}enforce\t${blanks}`))?.mode, 'enforce')
})

test('a wildcard matches exactly one label, the leftmost', () => {
  const policy = { mode: 'enforce', mx: ['*.example.net', 'mail.example.com'], maxAge: 1 } as const
  const allowed = ['mx1.example.net', 'MX1.EXAMPLE.NET.', 'mail.example.com']
  const refused = ['example.net', 'a.b.example.net', 'xmail.example.com', 'mail.example.com.evil.test', 'net']
  for (const host of allowed) assert.ok(stsAllows(policy, host), host)
  for (const host of refused) assert.ok(!stsAllows(policy, host), host)
})
