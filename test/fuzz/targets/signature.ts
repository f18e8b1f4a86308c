// Signatures of received mails: a changed mail passes only if its signed part is unchanged.

import assert from 'node:assert/strict'
import { hashBody } from '../../../src/mail/authentication/dkim.ts'
import { dkimCheck, OF_COMPLAINT, OF_TLS_REPORT } from '../../../src/mail/authentication/dkim-check.ts'
import { verifyDkim } from '../../../src/mail/authentication/dkim-verify.ts'
import { parseHeaderBlock } from '../../../src/mail/mime/headers.ts'
import { systemClock } from '../../../src/platform/clock.ts'
import { declaredZones } from '../../world/zones.ts'
import type { Target } from '../frame.ts'

/** RFC 8463 appendix A.3, with its Ed25519 signature. */
const FOOTBALL =
  'DKIM-Signature: v=1; a=ed25519-sha256; c=relaxed/relaxed;\r\n d=football.example.com; i=@football.example.com;\r\n q=dns/txt; s=brisbane; t=1528637909; h=from : to :\r\n subject : date : message-id : from : subject : date;\r\n bh=2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8=;\r\n b=/gCrinpcQOoIfuHNQIbq4pgh9kyIK3AQUdt9OdqQehSwhEIug4D11Bus\r\n Fa3bT3FY5OsU7ZbnKELq+eXdp1Q1Dw==\r\nFrom: Joe SixPack <joe@football.example.com>\r\nTo: Suzie Q <suzie@shopping.example.net>\r\nSubject: Is dinner ready?\r\nDate: Fri, 11 Jul 2003 21:00:37 -0700 (PDT)\r\nMessage-ID: <20030712040037.46341.5F8J@football.example.com>\r\n\r\nHi.\r\n\r\nWe lost the game.  Are you hungry yet?\r\n\r\nJoe.\r\n'
const BODY_HASH = '2jUSOH9NhtVGCQWNr9BrIAPreKQjO6Sn7XIkfJVOzv8='

const resolver = declaredZones({
  'brisbane._domainkey.football.example.com': {
    TXT: ['v=DKIM1; k=ed25519; p=11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo='],
  },
})
const check = dkimCheck({ resolver, clock: systemClock(), verify: verifyDkim })

export const target: Target = {
  name: 'signature',
  about: 'signatures of mails that came (dkim-check, dkim-verify)',
  seeds: [FOOTBALL, FOOTBALL.replace('relaxed/relaxed', 'simple/simple'), FOOTBALL.replace('h=from', 'l=3; h=from')],
  corpora: ['arf/resources/dkim'],
  words: [
    'DKIM-Signature: ',
    'd=football.example.com;',
    's=brisbane;',
    'l=0;',
    'x=1;',
    'h=from;',
    'c=simple/relaxed;',
    'a=rsa-sha1;',
    'From: a@b.example\r\n',
    '\r\n\r\n',
    '\r\n ',
    ';',
    '=',
  ],
  run: async (input) => {
    const told = await check(input, OF_COMPLAINT)
    assert.equal(told.result === 'pass', told.domain !== null)
    assert.equal(told.result === 'pass', told.reason === null)
    const byAuthor = await check(input, OF_TLS_REPORT)
    if (told.result === 'pass') {
      assert.equal(told.domain, 'football.example.com')
      // A bare LF counts as a line end, as at every receiver.
      const lines = Buffer.from(input.toString('latin1').replace(/\r?\n/g, '\r\n'), 'latin1')
      assert.equal(hashBody(lines.subarray(parseHeaderBlock(lines).bodyStart)), BODY_HASH, 'another body passes')
    } else assert.notEqual(byAuthor.result, 'pass')
    return `${told.result} ${told.reason} ${byAuthor.reason}`
  },
}
