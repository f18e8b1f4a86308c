// Records in other people's DNS: SPF, DMARC and DKIM keys.

import assert from 'node:assert/strict'
import { parseDmarc, walkNames } from '../../../src/mail/authentication/dmarc.ts'
import { isSpfRecord, parseSpf } from '../../../src/mail/authentication/spf-record.ts'
import { dkimKeyFault, parseTagList } from '../../../src/mail/dns/records.ts'
import type { Target } from '../frame.ts'

export const target: Target = {
  name: 'records',
  about: 'SPF, DMARC and DKIM key records (spf-record, dmarc, dns-records)',
  seeds: [
    'v=spf1 ip4:192.0.2.0/24 ip6:2001:db8::/32 a:mail.test/24//64 mx include:_spf.test exists:%{i}.%{d2r-}.test ?all',
    'v=spf1 redirect=_spf.test exp=%{d}.test -all',
    'v=DMARC1; p=quarantine; sp=none; adkim=s; aspf=r; pct=50; rua=mailto:a@b.test!10m; fo=1:d:s; np=reject; t=y',
    'v=DKIM1; k=rsa; h=sha256; t=y:s; s=email; p=MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC',
    'k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=',
    'p=',
  ],
  words: [
    'v=spf1 ',
    'v=DMARC1;',
    'p=',
    ';',
    '%{',
    '}',
    '%%',
    '/128',
    '//',
    ':',
    '=',
    ' all',
    'ip6:::',
    'include:',
    'redirect=',
    '\t',
  ],
  maxBytes: 8_192,
  run: (input) => {
    const text = input.toString('latin1')
    const spf = parseSpf(text)
    isSpfRecord(text)
    const dmarc = parseDmarc(text)
    const tags = parseTagList(text)
    const fault = dkimKeyFault(text, 'MIGfMA0GCSqGSIb3DQEBAQUAA4GNADCBiQKBgQC')
    assert.ok(fault === null || fault.length < 20_000)
    assert.ok(walkNames(text).length <= 9)
    return `${Object.keys(spf).join()} ${dmarc === null ? null : Object.values(dmarc).join()} ${tags === null}`.slice(
      0,
      80,
    )
  },
}
