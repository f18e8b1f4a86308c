import assert from 'node:assert/strict'
import { test } from 'node:test'
import { submissionWorld } from '../../test/world/submission.ts'
import { readEnvelopeCommand } from './envelope-command.ts'

const OFFERED = new Set(['SIZE', 'BODY', 'SMTPUTF8', 'AUTH'])

// Each row: the client's command, and the path and parameters, or the reply's code and enhanced code.
const COMMANDS: [line: string | Buffer, read: readonly [string, Record<string, string | true>] | string][] = [
  ['MAIL FROM:<a@b.test>', ['a@b.test', {}]],
  ['mail from: <>', ['', {}]],
  ['MAIL FROM:<a@b.test> SIZE=5 body=8BITMIME SMTPUTF8', ['a@b.test', { SIZE: '5', BODY: '8BITMIME', SMTPUTF8: true }]],
  ['MAIL FROM:<a@b.test> AUTH=<>', ['a@b.test', { AUTH: '<>' }]],
  ['MAIL FROM:<a@b.test> AUTH=e+3Dmc2@b.test', ['a@b.test', { AUTH: 'e+3Dmc2@b.test' }]],
  ['MAIL FROM:<@x.test,@y.test:a@b.test>', ['a@b.test', {}]],
  ['MAIL FROM:<"a b"@c.test> SIZE=1', ['"a b"@c.test', { SIZE: '1' }]],
  ['MAIL FROM:<"a>b<c\\" d"@c.test>', ['"a>b<c\\" d"@c.test', {}]],
  ['MAIL FROM:<ü@ö.test> SMTPUTF8', ['ü@ö.test', { SMTPUTF8: true }]],
  ['MAIL FROM:<Postmaster>', ['Postmaster', {}]],
  ['MAIL FROM:<a@b.test>  ', ['a@b.test', {}]],
  ['MAIL FROM:<a@b.test> FOO=bar', '555 5.5.4'],
  ['MAIL FROM:<a@b.test> REQUIRETLS', '555 5.5.4'],
  ['MAIL FROM:<a@b.test> RET=FULL', '555 5.5.4'],
  ['MAIL FROM:<a@b.test> ENVID=x', '555 5.5.4'],
  ['MAIL FROM:<a@b.test> __proto__', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> =x', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> -X=1', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> SIZE=', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> SIZE=1=2', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> SIZE=1 size=2', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> AUTH', '501 5.5.4'],
  ['MAIL FROM:<a@b.test> AUTH=a+b', '501 5.5.4'],
  ['MAIL FROM:<a@b.test>SIZE=1', '501 5.1.7'],
  ['MAIL FROM:a@b.test', '501 5.1.7'],
  ['MAIL FROM:<a@b.test', '501 5.1.7'],
  ['MAIL FROM:<<a@b.test>>', '501 5.1.7'],
  ['MAIL FROM:<a b@c.test>', '501 5.1.7'],
  ['MAIL FROM:<"a@b.test>', '501 5.1.7'],
  ['MAIL FROM:<a\x1b@b.test>', '501 5.1.7'],
  ['MAIL', '501 5.1.7'],
  ['RCPT TO:<a@b.test>', '501 5.1.7'],
  [Buffer.from('MAIL FROM:<a\xff@b.test>', 'latin1'), '501 5.1.7'],
]
for (const [line, wanted] of COMMANDS) {
  test(`${JSON.stringify(line.toString())} is read as ${JSON.stringify(wanted)}`, () => {
    const read = readEnvelopeCommand(Buffer.from(line), 'MAIL FROM', OFFERED)
    if (!read.ok) assert.equal(`${read.code} ${read.text}`.slice(0, 9), wanted)
    else assert.deepEqual([read.path, { ...read.parameters }], wanted)
  })
}

test('submission refuses parameters that it did not offer, and arguments of commands that take none', async () => {
  await using world = await submissionWorld()
  const smtp = await world.session()
  for (const [command, answer] of [
    ['MAIL FROM:<a@shop.example> REQUIRETLS', /^555 5\.5\.4 /],
    ['MAIL FROM:<a@shop.example> RET=HDRS ENVID=1', /^555 5\.5\.4 /],
    ['MAIL FROM:<a@shop.example> SIZE=+31', /^501 5\.5\.4 /],
    ['MAIL FROM:<a@shop.example> BODY=BINARYMIME', /^501 5\.5\.4 /],
    ['MAIL FROM:<a@shop.example> SIZE=26214401', /^552 5\.3\.4 /],
    ['RCPT TO:<b@example.net>', /^503 /],
    ['MAIL FROM:<a@shop.example> AUTH=<> SIZE=100 BODY=8BITMIME SMTPUTF8', /^250 2\.1\.0 /],
    ['RCPT TO:<b@example.net> NOTIFY=NEVER', /^555 5\.5\.4 /],
    ['RCPT TO:<b@example.net> ORCPT=rfc822;b@example.net', /^555 5\.5\.4 /],
    ['RCPT TO:<b@example.net> SIZE=1', /^555 5\.5\.4 /],
    ['DATA', /^503 /],
    ['RCPT TO:<"a b"@example.net>', /^250 2\.1\.5 /],
    ['RCPT TO:<"b@c"@example.net>', /^250 2\.1\.5 /],
    ['RCPT TO:<b@example.net> ', /^250 2\.1\.5 /],
    ['RCPT TO:<>', /^501 5\.1\.3 /],
    ['DATA now', /^501 5\.5\.4 /],
    ['RSET now', /^501 5\.5\.4 /],
    ['QUIT now', /^501 5\.5\.4 /],
    ['HELP', /^214 2\.0\.0 /],
  ] as const) {
    assert.match(await smtp.ask(command), answer, command)
  }
  smtp.write(Buffer.from('RCPT TO:<b\xff@example.net>\r\n', 'latin1'))
  assert.match(await smtp.reply(), /^501 5\.1\.3 /)
  await smtp.ask('DATA')
  assert.match(await smtp.ask('From: a@shop.example\r\n\r\nx\r\n.'), /^250 /)
  assert.deepEqual(
    (await world.mails()).map(({ recipient }) => recipient),
    ['"a b"@example.net', '"b@c"@example.net', 'b@example.net'],
  )
})
